import { countOf, formatDuration, formatEstimate } from '@agp/core/explain';
import { sumUsd } from '@agp/core/money';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { formatDay, formatShortCount, roundUsd } from '../format/format.ts';
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
  /** Charts of one name have one cursor. */
  sync?: string;
  marks?: readonly Mark[];
  /** Called with the range that somebody dragged over, milliseconds since 1970. */
  onRange?: (from: number, to: number) => void;
}

/** Something that people changed, at a time. */
export interface Mark {
  at: number;
  text: string;
}

/** A line for each mark, which says on hover what it is of. */
function placeMarks(plot: uPlot, marks: readonly Mark[]): void {
  for (const old of plot.over.querySelectorAll('.chart-mark')) old.remove();
  for (const { at, text } of marks) {
    const left = plot.valToPos(at / 1_000, 'x');
    if (!(left >= 0 && left <= plot.over.clientWidth)) continue;
    const line = Object.assign(document.createElement('div'), { className: 'chart-mark', title: text });
    line.style.left = `${left}px`;
    plot.over.append(line);
  }
}

/** A shorter drag is a click, in pixels. */
const leastDrag = 8;

function Plot({ data, draw, height, label, sync, marks = [], onRange }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ data, draw, marks, onRange });
  latest.current = { data, draw, marks, onRange };
  const scheme = useComputedColorScheme('light');
  const seriesCount = data.length;
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    // The legend below takes its own room.
    const size = () => ({ width: box.clientWidth, height: height - 40 });
    const cursor: uPlot.Cursor = {
      ...{ y: false, points: { size: 6 }, drag: { x: onRange !== undefined, y: false, setScale: false } },
      ...(sync !== undefined && { sync: { key: sync } }),
    };
    const hooks: uPlot.Hooks.Arrays = {
      draw: [(drawn) => placeMarks(drawn, latest.current.marks)],
      setLegend: [({ root, cursor: { idx } }) => root.toggleAttribute('data-pointed', typeof idx === 'number')],
      setSelect: [
        (drawn) => {
          const { left, width } = drawn.select;
          if (width < leastDrag) return;
          drawn.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          latest.current.onRange?.(1_000 * drawn.posToVal(left, 'x'), 1_000 * drawn.posToVal(left + width, 'x'));
        },
      ],
    };
    const look = { padding: [8, 24, 0, 0] as uPlot.Padding, cursor, hooks };
    const made = new uPlot({ ...size(), ...look, ...latest.current.draw() }, latest.current.data, box);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize(size()));
    watch.observe(box);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [scheme, height, seriesCount, sync, onRange === undefined]);
  useEffect(() => {
    plot.current?.setData(data);
  }, [data, marks]);
  return <div ref={place} role="img" aria-label={label} className="chart" />;
}

const orDash = (format: (value: number) => string) => (_plot: uPlot, value: number | null) =>
  value === null ? '–' : format(value);

const hourSeconds = 3_600;
const hourSteps = [1, 2, 3, 6, 12].map((count) => count * hourSeconds);
const mostByHour = 48;

interface Drawn {
  label: string;
  of: (hour: Hour) => number | null;
  colour: string;
  look: 'bars' | 'steps';
}

interface Drawing {
  format: (value: number) => string;
  /** On the axis, if otherwise. */
  axis?: (value: number) => string;
  /** Those in front last. */
  series: readonly Drawn[];
}

/** What each chart of hours shows. */
const drawings = {
  cost: {
    format: roundUsd,
    series: [{ label: 'Cost', of: ({ cost }) => cost, colour: '--accent', look: 'steps' }],
  },
  requests: {
    format: formatShortCount,
    series: [
      { label: 'Requests', of: ({ requests }) => requests, colour: '--bar', look: 'bars' },
      { label: 'Failed', of: ({ failed }) => failed, colour: '--bad-fill', look: 'bars' },
    ],
  },
  durations: {
    format: formatEstimate,
    axis: formatDuration,
    series: [
      { label: 'p95', of: ({ p95 }) => p95, colour: '--bar', look: 'bars' },
      { label: 'p50', of: ({ p50 }) => p50, colour: '--accent', look: 'bars' },
      { label: 'First byte p50', of: ({ firstByte }) => firstByte, colour: '--warn-fill', look: 'steps' },
    ],
  },
  tokens: {
    format: formatShortCount,
    series: [
      { label: 'In', of: ({ tokensIn }) => tokensIn, colour: '--bar', look: 'steps' },
      { label: 'Out', of: ({ tokensOut }) => tokensOut, colour: '--accent', look: 'steps' },
    ],
  },
} satisfies Record<string, Drawing>;

export type HourFigure = keyof typeof drawings;

interface HourChartProps extends Pick<PlotProps, 'marks' | 'onRange'> {
  figure: HourFigure;
  hours: readonly Hour[];
  height: number;
}

/** One figure hour by hour in the viewer's zone, with the same cursor as all others beside it. */
export function HourChart({ figure, hours, height, ...rest }: HourChartProps) {
  const { format, axis = format, series }: Drawing = drawings[figure];
  const last = hours.at(-1);
  // A step goes on to the end of the last hour.
  const data = [
    [...hours.map(({ at }) => at / 1_000), ...(last ? [last.at / 1_000 + hourSeconds] : [])],
    ...series.map(({ of, look }) => [...hours.map(of), last && look === 'steps' ? of(last) : null]),
  ] as uPlot.AlignedData;
  const byHour = hours.length <= mostByHour;
  const leastStep = figure === 'cost' ? 0 : 1;
  const draw = (): ReturnType<PlotProps['draw']> => ({
    scales: { x: { time: true }, y: fromZero(leastStep) },
    axes: [
      { ...drawBelow((byHour ? '{HH}:{mm}' : '{D} {MMM}') as never), incrs: byHour ? hourSteps : [24 * hourSeconds] },
      { ...drawAxis('y', axis, 3, leastStep), size: 56 },
    ],
    series: [
      { label: 'Hour', value: '{D} {MMM}, {HH}:{mm}' as never },
      ...series.map(
        ({ label, colour, look }): uPlot.Series => ({
          ...{ label, stroke: readColour(colour), points: { show: false }, value: orDash(format) },
          ...(look === 'bars' ? { fill: readColour(colour), width: 0, paths: hourBars } : { width: 2, paths: steps }),
        }),
      ),
    ],
  });
  const sums = series.map(
    ({ label, of }) => `${label.toLowerCase()} ${format(sumUsd(hours.map((hour) => of(hour) ?? 0)))}`,
  );
  const label = figure === 'durations' ? 'Durations by hour' : `By hour: ${sums.join(', ')} in all`;
  return <Plot data={data} draw={draw} height={height} label={label} sync="hours" {...rest} />;
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
        ...drawBelow((_plot, places) => places.map((at) => (days[at] ? formatDay(days[at].day) : ''))),
        incrs: [1, 2, 7, 14, 30, 90],
      },
      drawAxis('y', roundUsd, 3),
    ],
    series: [
      { label: 'Day', value: (_plot, at) => (days[at] ? formatDay(days[at].day) : '–') },
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
      label={`Cost by day: ${roundUsd(total)} in ${countOf(days.length, 'day')}. The table has the figures.`}
    />
  );
}
