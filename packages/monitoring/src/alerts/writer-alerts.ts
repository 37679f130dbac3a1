import type { Alert } from './alert.ts';

/** Alerts on the writers' metrics. All writers report the same about the stream and storage. */
export const writerAlerts: Alert[] = [
  {
    name: 'AgpWriterDown',
    expression: 'sum by (namespace) (agp_ready{job="agp-writer"}) or on() vector(0)',
    condition: '< 1',
    lasts: '2m',
    severity: 'critical',
    summary: 'No writer is ready: events wait in JetStream, and budgets count reservations meanwhile',
  },
  {
    name: 'AgpWriterLag',
    // Under load messages hold more events, so this bound scales with the rate of recording.
    expression: 'max by (namespace) (agp_writer_pending_messages)',
    condition: '> 10000',
    lasts: '5m',
    severity: 'warning',
    summary: '{{ $value }} messages (up to 16 events each) wait in JetStream for a writer',
  },
  {
    name: 'AgpStreamFilling',
    expression: 'max by (namespace) (agp_writer_stream_used_ratio)',
    condition: '> 0.5',
    lasts: '5m',
    severity: 'critical',
    summary:
      'The event stream is full to {{ $value | humanizePercentage }}; when it is full, events wait in the proxies',
  },
  {
    name: 'AgpRecordingFails',
    expression: 'sum by (namespace, step) (rate(agp_writer_retries_total[5m]))',
    condition: '> 0',
    lasts: '5m',
    severity: 'critical',
    summary: 'Writers fail at the step {{ $labels.step }} and try again; events wait in JetStream',
  },
  {
    name: 'AgpMessagesQuarantined',
    expression: 'max by (namespace) (agp_writer_quarantine_waiting_messages)',
    condition: '> 0',
    lasts: '0m',
    severity: 'warning',
    summary: '{{ $value }} messages that can never be recorded were set aside',
  },
  {
    name: 'AgpRequestsEndedWithoutRecord',
    expression: 'sum by (namespace) (increase(agp_writer_requests_ended_without_record_total[15m]))',
    condition: '> 0',
    lasts: '0m',
    severity: 'warning',
    summary:
      '{{ $value | humanize }} forwarded requests ended without a record: a proxy was killed while it served them',
  },
  {
    name: 'AgpPartitionsRunningOut',
    expression: 'min by (namespace) (agp_writer_partitions_end_timestamp_seconds) - time()',
    condition: '< 1209600',
    lasts: '15m',
    severity: 'warning',
    summary: 'Partitions for events are there for {{ $value | humanizeDuration }} more',
  },
  {
    name: 'AgpDefaultPartitionUsed',
    expression: 'max by (namespace) (agp_writer_default_partition_events)',
    condition: '> 0',
    lasts: '5m',
    severity: 'warning',
    summary: '{{ $value }} events or more lie in the default partition',
  },
  {
    name: 'AgpAuditSealingBehind',
    expression: 'max by (namespace) (agp_writer_unsealed_refusals_age_seconds)',
    condition: '> 600',
    lasts: '5m',
    severity: 'warning',
    summary: 'Refused requests of {{ $value | humanizeDuration }} ago are not in the chain of the audit log',
  },
];
