# Measured against predicted, one point a row, one colour a group; on the diagonal they are equal. Both axes are
# logarithmic, so what is below 1 cycle is drawn at 1.
width = 760; height = 720
load sprintf('%s/common.gnuplot', system(sprintf("dirname '%s'", ARG0)))
groups = unique('group')
at_least_1(value) = value < 1 ? 1 : value
set logscale xy
set size square
set xrange [0.8:10000]
set yrange [0.8:10000]
set xlabel 'measured, cycles (below 1 drawn at 1)'
set ylabel 'predicted, cycles (below 1 drawn at 1)'
set key top left reverse Left
plot x with lines linecolor rgb '#999999' title 'equal', \
     for [i = 1:words(groups)] csv \
         using (strcol('group') eq word(groups, i) ? at_least_1(column('measured')) : NaN): \
               (at_least_1(column('predicted'))) \
         with points pointtype 7 pointsize 0.7 linecolor i title word(groups, i) noenhanced
