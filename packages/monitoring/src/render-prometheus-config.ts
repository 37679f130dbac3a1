/** Where one service's ops ports are. */
export type Targets = { dns: string; port: number } | { addresses: string[] };

/** The services, by the names that compose gives them: each name resolves to every replica. */
const byName: Record<string, Targets> = {
  'agp-proxy': { dns: 'proxy', port: 9080 },
  'agp-management': { dns: 'management', port: 9081 },
  'agp-writer': { dns: 'writer', port: 9082 },
};

function toScrape(job: string, targets: Targets): object {
  if ('addresses' in targets) return { job_name: job, static_configs: [{ targets: targets.addresses }] };
  return {
    job_name: job,
    dns_sd_configs: [{ names: [targets.dns], type: 'A', port: targets.port, refresh_interval: '15s' }],
  };
}

/** Prometheus' configuration: who is asked, how often, and which alerts are looked at. */
export function renderPrometheusConfig(
  jobs: Record<string, Targets> = byName,
  { every = '15s', rules = '/etc/prometheus/alerts.yml' } = {},
): object {
  return {
    global: { scrape_interval: every, evaluation_interval: every },
    rule_files: [rules],
    scrape_configs: Object.entries(jobs).map(([job, targets]) => toScrape(job, targets)),
  };
}
