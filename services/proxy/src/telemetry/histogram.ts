import type { Registry } from '@agp/runtime';

/** A histogram with one label, as Prometheus' client reads it; the client's own runs ten functions for each value (`bench:proxy -- --count`). */
export class Histogram {
  readonly name: string;
  readonly help: string;
  readonly #label: string;
  readonly #bounds: readonly number[];
  /** By label: how many values each bound is the least for, how many are above all of them, and their sum. */
  readonly #series = new Map<string, { counts: number[]; sum: number }>();

  constructor(registry: Registry, name: string, help: string, label: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#label = label;
    this.#bounds = bounds;
    registry.registerMetric(this as unknown as Parameters<Registry['registerMetric']>[0]);
  }

  observe(label: string, value: number): void {
    let series = this.#series.get(label);
    if (series === undefined) {
      series = { counts: new Array(this.#bounds.length + 1).fill(0), sum: 0 };
      this.#series.set(label, series);
    }
    let index = 0;
    while (value > (this.#bounds[index] as number)) index++;
    series.counts[index] = (series.counts[index] as number) + 1;
    series.sum += value;
  }

  /** In the client's form. */
  get() {
    const values = [...this.#series].flatMap(([value, { counts, sum }]) => {
      const label = { [this.#label]: value };
      let count = 0;
      const buckets = counts.map((more, index) => {
        count += more;
        const le = this.#bounds[index] ?? '+Inf';
        return { metricName: `${this.name}_bucket`, labels: { le, ...label }, value: count };
      });
      return [
        ...buckets,
        { metricName: `${this.name}_sum`, labels: label, value: sum },
        { metricName: `${this.name}_count`, labels: label, value: count },
      ];
    });
    return Promise.resolve({ name: this.name, help: this.help, type: 'histogram', aggregator: 'sum', values });
  }
}
