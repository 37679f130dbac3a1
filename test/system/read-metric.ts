/** The value of one series of a service, with its labels; NaN where there is none. */
export async function readMetric(service: { opsUrl: string } | undefined, series: string): Promise<number> {
  return findSeries(await readMetrics(service), series);
}

/** Everything that a service tells Prometheus. */
export async function readMetrics(service: { opsUrl: string } | undefined): Promise<string> {
  return (await fetch(`${service?.opsUrl}/metrics`)).text();
}

export function findSeries(metrics: string, series: string): number {
  const line = metrics.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? Number.NaN);
}
