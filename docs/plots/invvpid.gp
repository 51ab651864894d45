# Rate curves: the ratio of two times against how often a second the thing happens, a line a workload, and the measured ratios.
width = 900; height = 520
load sprintf('%s/common.gnuplot', system(sprintf("dirname '%s'", ARG0)))
of(workload) = sprintf("< awk -F, -v w='%s' 'NR == 1 || ($5 == \"curve\" && $3 == w)' '%s'", workload, csv)
workloads = system(sprintf("awk -F, '$5 == \"curve\" && !seen[$3]++ { print $3 }' '%s'", csv))
ratios = system(sprintf("awk -F, '$5 == \"not modelled\" { print $2 \",\" $9 }' '%s'", csv))
run_of(pair) = pair[1:strstrt(pair, ',') - 1]
ratio_of(pair) = real(pair[strstrt(pair, ',') + 1:*])
set logscale x
set format x '%.0s %c'
set yrange [0:1.05]
set xlabel 'INVLPG of the guest in a second of a CPU'
set ylabel 'time with INVVPID of the address / of the context'
set key bottom left reverse Left
do for [i = 1:words(ratios)] {
    pair = word(ratios, i)
    set arrow i from graph 0, first ratio_of(pair) to graph 1, first ratio_of(pair) nohead linestyle 1
    set label i run_of(pair).' (measured)' at graph 0.99, first ratio_of(pair) right offset 0, 0.5 noenhanced textcolor rgb '#1b4f9c'
}
plot for [i = 1:words(workloads)] of(word(workloads, i)) using (column('x')):(column('predicted')) \
     with linespoints linestyle 2 pointtype 4 + 2 * i dashtype i title word(workloads, i).' (simulated)' noenhanced
