import { sumUsd } from '@agp/core/money';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { formatShortCount, roundUsd } from '../format/format.ts';
import { type DayCost, type Hour, listTicks, stackDays } from './chart-data.ts';

const readColour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const bars = uPlot.paths.bars?.({ size: [0.7, 40] }) as uPlot.Series.PathBuilder;
// Both fill the hour that begins at their point, so that a single hour is a step and no spike.
const hourBars = uPlot.paths.bars?.({ size: [0.8], align: 1 }) as uPlot.Series.PathBuilder;
const steps = uPlot.paths.stepped?.({ align: 1 }) as uPlot.Series.PathBuilder;
const fromZero = (leastStep = 0): uPlot.Scale => ({
  range: (_plot, _min, max) => [0, listTicks(max, leastStep).at(-1) ?? 1],
});

function drawAxis(scale: string, format: (value: number) => string, side: 1 | 3, leastStep = 0): uPlot.Axis {
  return {
    scale,
    side,
    stroke: readColour('--mantine-color-dimmed'),
    size: 64,
    grid: { show: side === 3, stroke: readColour('--line'), width: 1 },
    ticks: { show: false },
    splits: (_plot, _axis, _min, max) => listTicks(max, leastStep),
    values: (_plot, values) => values.map((value) => (value === null ? '' : format(value))),
  };
}

const drawBelow = (values: uPlot.Axis.Values): uPlot.Axis => ({
  stroke: readColour('--mantine-color-dimmed'),
  size: 28,
  grid: { show: false },
  ticks: { show: false },
  values,
});

interface PlotProps {
  data: uPlot.AlignedData;
  /** The scales, axes and series; called again if colours change. */
  draw: () => Pick<uPlot.Options, 'scales' | 'axes' | 'series'>;
  height: number;
  label: string;
}

function Plot({ data, draw, height, label }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ data, draw });
  latest.current = { data, draw };
  const scheme = useComputedColorScheme('light');
  const seriesCount = data.length;
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    // The legend below takes its own room.
    const size = () => ({ width: box.clientWidth, height: height - 40 });
    const look = { padding: [8, 0, 0, 0] as uPlot.Padding, cursor: { y: false, points: { size: 6 } } };
    const made = new uPlot({ ...size(), ...look, ...latest.current.draw() }, latest.current.data, box);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize(size()));
    watch.observe(box);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [scheme, height, seriesCount]);
  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);
  return <div ref={place} role="img" aria-label={label} className="chart" />;
}

const orDash = (format: (value: number) => string) => (_plot: uPlot, value: number | null) =>
  value === null ? '–' : format(value);

const hourSeconds = 3_600;
const hourSteps = [1, 2, 3, 6, 12].map((count) => count * hourSeconds);
const mostByHour = 48;

/** Cost as a line and requests as bars, hour by hour in the viewer's zone. */
export function HourChart({ hours, height }: { hours: readonly Hour[]; height: number }) {
  const last = hours.at(-1);
  // The line goes on to the end of the last hour.
  const data = [
    [...hours.map(({ at }) => at / 1_000), ...(last ? [last.at / 1_000 + hourSeconds] : [])],
    [...hours.map(({ requests }) => requests), null],
    [...hours.map(({ cost }) => cost), last?.cost ?? null],
  ] satisfies uPlot.AlignedData;
  const byHour = hours.length <= mostByHour;
  const draw = (): ReturnType<PlotProps['draw']> => ({
    scales: { x: { time: true }, y: fromZero(), count: fromZero(1) },
    axes: [
      { ...drawBelow((byHour ? '{HH}:{mm}' : '{D} {MMM}') as never), incrs: byHour ? hourSteps : [24 * hourSeconds] },
      drawAxis('y', roundUsd, 3),
      drawAxis('count', formatShortCount, 1, 1),
    ],
    series: [
      { label: 'Hour', value: '{DD} {MMM}, {HH}:{mm}' as never },
      {
        label: 'Requests',
        scale: 'count',
        fill: readColour('--bar'),
        stroke: readColour('--bar'),
        width: 0,
        points: { show: false },
        paths: hourBars,
        value: orDash(formatShortCount),
      },
      {
        label: 'Cost',
        scale: 'y',
        stroke: readColour('--accent'),
        width: 2,
        points: { show: false },
        paths: steps,
        value: orDash(roundUsd),
      },
    ],
  });
  const cost = roundUsd(sumUsd(hours.map((hour) => hour.cost)));
  const requests = formatShortCount(hours.reduce((sum, hour) => sum + hour.requests, 0));
  return (
    <Plot
      data={data}
      draw={draw}
      height={height}
      label={`Cost and requests by hour: ${cost} and ${requests} requests in all`}
    />
  );
}

/** Told apart by those who see colours differently too; the last is for all others. */
const colours = ['#3b6fd4', '#d9870b', '#2a9d8f', '#c2479a', '#7a6ff0', '#8c8f96'];

/** Cost by UTC day, as bars with a colour for each of the dearest groups. */
export function DayBars({ entries, height }: { entries: readonly DayCost[]; height: number }) {
  const { days, groups } = stackDays(entries, colours.length - 1);
  // Each bar stands on those after it: drawn in this order, the later ones cover what is below.
  const tops = groups.map((_, at) =>
    days.map(({ costs }) => sumUsd(groups.slice(at).map((group) => costs[group] ?? 0))),
  );
  const draw = (): ReturnType<PlotProps['draw']> => ({
    scales: { x: { time: false, range: () => [-0.5, days.length - 0.5] }, y: fromZero() },
    axes: [
      {
        ...drawBelow((_plot, places) => places.map((at) => days[at]?.day.slice(5) ?? '')),
        incrs: [1, 2, 7, 14, 30, 90],
      },
      drawAxis('y', roundUsd, 3),
    ],
    series: [
      { label: 'Day', value: (_plot, at) => days[at]?.day ?? '–' },
      ...groups.map(
        (group, at): uPlot.Series => ({
          label: group,
          fill: colours[at] as string,
          stroke: colours[at] as string,
          width: 0,
          points: { show: false },
          paths: bars,
          value: ({ data }, top, series, day) =>
            top === null || day == null ? '–' : roundUsd(top - (data[series + 1]?.[day] ?? 0)),
        }),
      ),
    ],
  });
  const total = sumUsd(entries.map(({ cost }) => cost));
  return (
    <Plot
      key={JSON.stringify([groups, days.map(({ day }) => day)])}
      data={[days.map((_, at) => at), ...tops]}
      draw={draw}
      height={height}
      label={`Cost by day: ${roundUsd(total)} in ${days.length} days. The table has the figures.`}
    />
  );
}
