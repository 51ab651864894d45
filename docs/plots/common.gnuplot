# What the plots have in common. `csv` is the output of `nestwalk validate ID --format csv`, `svg` the file to write.
set datafile separator ','
set datafile columnheaders
set datafile missing ''
set terminal svg size width, height dynamic font 'sans-serif,13' background rgb 'white'
set output svg
set border 3
set tics nomirror out
set grid linecolor rgb '#dddddd' linewidth 0.7
set style line 1 linecolor rgb '#1b4f9c' linewidth 1.6 pointtype 7 pointsize 0.55    # measured
set style line 2 linecolor rgb '#d9602b' linewidth 1.6 pointtype 6 pointsize 0.55    # predicted

# The values of a column, each once, in the order of the file.
unique(column_name) = system(sprintf("awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == \"%s\") c = i; next } !seen[$c]++ { print $c }' '%s'", column_name, csv))
