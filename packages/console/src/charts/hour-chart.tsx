import { sumUsd } from '@agp/core/money';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { formatShortCount, formatUsd } from '../format/format.ts';

interface Hour {
  at: number;
  cost: number;
  requests: number;
}

const readColour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function drawAxis(scale: string, format: (value: number) => string, side: 1 | 3): uPlot.Axis {
  const stroke = readColour('--mantine-color-dimmed');
  const line = readColour('--line');
  return {
    scale,
    side,
    stroke,
    size: 64,
    grid: { show: side === 3, stroke: line, width: 1 },
    ticks: { show: false },
    values: (_plot, values) => values.map((value) => (value === null ? '' : format(value))),
  };
}

function makeOptions(width: number, height: number): uPlot.Options {
  const dimmed = readColour('--mantine-color-dimmed');
  const accent = readColour('--accent');
  return {
    width,
    height,
    padding: [8, 0, 0, 0],
    legend: { live: true },
    cursor: { y: false, points: { size: 6 } },
    scales: {
      x: { time: true },
      y: { range: (_plot, _min, max) => [0, max || 1] },
      count: { range: (_plot, _min, max) => [0, max || 1] },
    },
    axes: [
      { stroke: dimmed, size: 28, grid: { show: false }, ticks: { show: false }, values: '{HH}:{mm}' as never },
      drawAxis('y', formatUsd, 3),
      drawAxis('count', formatShortCount, 1),
    ],
    series: [
      { label: 'Hour', value: '{DD} {MMM}, {HH}:{mm}' as never },
      {
        label: 'Requests',
        scale: 'count',
        fill: readColour('--plain-soft'),
        stroke: readColour('--mantine-color-placeholder'),
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [0.7, 40] }) as uPlot.Series.PathBuilder,
        value: (_plot, value) => (value === null ? '–' : formatShortCount(value)),
      },
      {
        label: 'Cost',
        scale: 'y',
        stroke: accent,
        width: 2,
        points: { show: false },
        value: (_plot, value) => (value === null ? '–' : formatUsd(value)),
      },
    ],
  };
}

/** Cost as a line and requests as bars, hour by hour in the viewer's zone. */
export function HourChart({ hours, height }: { hours: readonly Hour[]; height: number }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const scheme = useComputedColorScheme('light');
  const data = useRef<uPlot.AlignedData>([[]]);
  data.current = [
    hours.map(({ at }) => at / 1_000),
    hours.map(({ requests }) => requests),
    hours.map(({ cost }) => cost),
  ];
  // Colours are read anew when the scheme changes.
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    // The legend below takes its own room.
    const made = new uPlot(makeOptions(box.clientWidth, height - 40), data.current, box);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: height - 40 }));
    watch.observe(box);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [scheme, height]);
  useEffect(() => {
    plot.current?.setData(data.current);
  }, [hours]);
  const cost = sumUsd(hours.map((hour) => hour.cost));
  const requests = hours.reduce((sum, hour) => sum + hour.requests, 0);
  return (
    <div
      ref={place}
      role="img"
      aria-label={`Cost and requests by hour of the last 24 hours: ${formatUsd(cost)} and ${formatShortCount(requests)} requests in all`}
      className="hour-chart"
    />
  );
}
