import { sumUsd } from '@agp/core/money';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { formatUsd } from '../format/format.ts';
import { stackDays } from './stack-days.ts';

interface DayBarsProps {
  entries: readonly { day: string; group: string; cost: number }[];
  height: number;
}

/** Told apart by those who see colours differently too; the last is for all others. */
const colours = ['#3b6fd4', '#d9870b', '#2a9d8f', '#c2479a', '#7a6ff0', '#8c8f96'];

const colourOf = (at: number) => colours[Math.min(at, colours.length - 1)] ?? '#8c8f96';

/** Cost by UTC day, as bars with a colour for each of the dearest groups. */
export function DayBars({ entries, height }: DayBarsProps) {
  const { days, groups } = stackDays(entries, colours.length - 1);
  const total = sumUsd(entries.map(({ cost }) => cost));
  const axis = { stroke: 'var(--line)', tick: { fill: 'var(--mantine-color-dimmed)', fontSize: 12 } };
  return (
    <div role="img" aria-label={`Cost by day: ${formatUsd(total)} in ${days.length} days. The table has the figures.`}>
      <ResponsiveContainer width="100%" height={height}>
        <BarChart data={days} margin={{ top: 4, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="day"
            {...axis}
            tickFormatter={(day: string) => day.slice(5)}
            minTickGap={16}
            tickLine={false}
          />
          <YAxis {...axis} width={64} tickFormatter={formatUsd} tickLine={false} axisLine={false} />
          <Tooltip
            cursor={{ fill: 'var(--sunken)' }}
            formatter={(value) => formatUsd(Number(value))}
            contentStyle={{ background: 'var(--card)', border: '1px solid var(--line)', borderRadius: 8 }}
            labelStyle={{ color: 'var(--strong)' }}
          />
          {groups.map((group, at) => (
            <Bar
              key={group}
              dataKey={(day: (typeof days)[number]) => day.costs[group] ?? 0}
              name={group}
              stackId="all"
              fill={colourOf(at)}
              maxBarSize={40}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
      {groups.length > 1 && (
        <ul className="chart-legend">
          {groups.map((group, at) => (
            <li key={group}>
              <span style={{ background: colourOf(at) }} />
              {group}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
