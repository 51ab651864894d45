# The reach curve: cycles of a load against the number of pages that a chain of loads visits. Rows with an x are its points.
width = 900; height = 520
load sprintf('%s/common.gnuplot', system(sprintf("dirname '%s'", ARG0)))
set logscale x 2
set format x '%.0f'
set yrange [0:*]
set xlabel 'pages visited in random order'
set ylabel 'core cycles a load'
set key top left reverse Left
plot csv using (column('x')):(column('measured')) with points linestyle 1 title 'measured', \
     csv using (column('x')):(column('predicted')) with linespoints linestyle 2 title 'predicted'
