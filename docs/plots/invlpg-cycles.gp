# Measured and predicted side by side, a pair of bars a figure, a group of pairs a run.
width = 1300; height = 560
load sprintf('%s/common.gnuplot', system(sprintf("dirname '%s'", ARG0)))
runs = unique('run')
unit = system(sprintf("awk -F, 'NR == 2 { print $7 }' '%s'", csv))
of(run) = sprintf("< awk -F, -v run='%s' 'NR == 1 || $2 == run' '%s'", run, csv)
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.9 border rgb 'white'
set bmargin 8
set tmargin 3
set grid noxtics
set xtics rotate by 50 right noenhanced
set yrange [0:*]
set format y '%.1s %c'
set ylabel unit noenhanced
set key at graph 0.99, graph 0.98
bars = ''
start = 0
do for [i = 1:words(runs)] {
    run = word(runs, i)
    figures = int(system(sprintf("awk -F, -v run='%s' '$2 == run' '%s' | wc -l", run, csv)))
    set label i run at first start + (figures - 1) / 2.0, graph 1.04 center noenhanced
    bars = bars . sprintf("%s newhistogram at %d, ", i == 1 ? 'plot' : '', start)
    start = start + figures + 1
    bars = bars . sprintf("of('%s') using 'measured':xtic(strcol('figure')) linestyle 1 title '%s', ", \
                          run, i == 1 ? 'measured' : '')
    bars = bars . sprintf("of('%s') using 'predicted' linestyle 2 title '%s'%s", \
                          run, i == 1 ? 'predicted' : '', i == words(runs) ? '' : ', ')
}
eval bars
