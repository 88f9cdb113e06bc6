// For each alert in deploy/prometheus/alerts.yaml, samples for which it must fire, and samples for which it must not.
// Over 300 lines because it is a single list.

/** Values by series in Prometheus' notation: `1+2x3` is 1, 3, 5, 7, one per minute. */
type Figures = Readonly<Record<string, string>>

export interface AlertCase {
  readonly alert: string
  /** Evaluated after this many minutes. */
  readonly minutes: number
  readonly fires: Figures
  /** At the same time; all must be as quiet as without samples. */
  readonly quiet: readonly Figures[]
  /** Labels of the alert besides its severity. */
  readonly labels?: Readonly<Record<string, string>>
  /** What the person on call reads. */
  readonly description: string
}

const one = { job: 'waymark', instance: 'one:8080' }
const requests = 'http_request_duration_seconds_count'
const buckets = 'http_request_duration_seconds_bucket'
const waits = 'waymark_writer_wait_seconds_bucket'
const calls = 'waymark_store_call_duration_seconds_bucket'
const ofOne = 'job="waymark",instance="one:8080"'
const ofTwo = 'job="waymark",instance="two:8080"'

export const alertCases: readonly AlertCase[] = [
  {
    alert: 'WaymarkDown',
    minutes: 5,
    fires: { [`up{${ofOne}}`]: '1x1 0x10', [`up{${ofTwo}}`]: '1x10' },
    quiet: [{ [`up{${ofOne}}`]: '1x3 0 1x10' }, { 'up{job="other",instance="one:9100"}': '0x10' }],
    labels: one,
    description: 'one:8080 has not responded to Prometheus for two minutes.',
  },
  {
    alert: 'WaymarkFaults', // once is enough
    minutes: 12,
    fires: { [`waymark_refusals_total{code="internal-error",${ofOne}}`]: '0x8 1x10' },
    quiet: [
      { [`waymark_refusals_total{code="internal-error",${ofOne}}`]: '3x20' },
      { [`waymark_refusals_total{code="too-many-requests",${ofOne}}`]: '0+9x20' },
    ],
    description: 'Requests have failed with 500; the log has the reason for each.',
  },
  {
    alert: 'WaymarkErrors',
    minutes: 15,
    fires: {
      [`${requests}{status="200",${ofOne}}`]: '0+49x20',
      [`${requests}{status="500",${ofOne}}`]: '0+1x20',
    },
    quiet: [
      {
        [`${requests}{status="200",${ofOne}}`]: '0+199x20',
        [`${requests}{status="500",${ofOne}}`]: '0+1x20',
      },
      { [`${requests}{status="200",${ofOne}}`]: '0+49x20', [`${requests}{status="503",${ofOne}}`]: '0+1x20' },
    ],
    description: '2% of all responses are 5xx other than 503.',
  },
  {
    alert: 'WaymarkUnavailable',
    minutes: 20,
    fires: {
      [`${requests}{status="200",${ofOne}}`]: '0+90x30',
      [`${requests}{status="503",${ofTwo}}`]: '0+10x30',
    },
    quiet: [
      { [`${requests}{status="200",${ofOne}}`]: '0+98x30', [`${requests}{status="503",${ofTwo}}`]: '0+2x30' },
    ],
    description: '10% of all responses are 503.',
  },
  {
    alert: 'WaymarkSlow',
    minutes: 30,
    fires: {
      [`${buckets}{method="GET",route="/",le="1",${ofOne}}`]: '0+90x40',
      [`${buckets}{method="GET",route="/",le="2.5",${ofOne}}`]: '0+100x40',
      [`${buckets}{method="GET",route="/",le="+Inf",${ofOne}}`]: '0+100x40',
    },
    quiet: [
      {
        [`${buckets}{method="GET",route="/",le="1",${ofOne}}`]: '0+100x40',
        [`${buckets}{method="GET",route="/",le="2.5",${ofOne}}`]: '0+100x40',
        [`${buckets}{method="GET",route="/",le="+Inf",${ofOne}}`]: '0+100x40',
      },
      {
        [`${buckets}{method="GET",route="/v2/events",le="1",${ofOne}}`]: '0x40',
        [`${buckets}{method="GET",route="/v2/events",le="2.5",${ofOne}}`]: '0x40',
        [`${buckets}{method="GET",route="/v2/events",le="+Inf",${ofOne}}`]: '0+100x40',
      },
    ],
    description: '1 % of reads take 2.35s or more.',
  },
  {
    alert: 'WaymarkStorageFaults', // once is enough
    minutes: 12,
    fires: {
      [`waymark_storage_faults_total{error="ENOSPC",${ofOne}}`]: '0x8 1x10',
      [`waymark_storage_faults_total{error="EIO",${ofOne}}`]: '0x20',
    },
    quiet: [{ [`waymark_storage_faults_total{error="ENOSPC",${ofOne}}`]: '7x20' }],
    labels: { error: 'ENOSPC' },
    description: 'Requests have failed with ENOSPC.',
  },
  {
    alert: 'WaymarkDiskLow',
    minutes: 8,
    fires: { [`waymark_disk_low{disk="blobs",${ofOne}}`]: '1x20' },
    quiet: [{ [`waymark_disk_low{disk="blobs",${ofOne}}`]: '0x4 1 0x20' }],
    labels: { instance: 'one:8080', disk: 'blobs' },
    description: 'The disk of blobs on one:8080 has less free space than DISK_FREE_WARNING_MB.',
  },
  {
    alert: 'WaymarkDiskFilling',
    minutes: 240,
    fires: { [`waymark_disk_free_bytes{disk="database",${ofOne}}`]: '9000000000-1000000x300' },
    quiet: [
      { [`waymark_disk_free_bytes{disk="database",${ofOne}}`]: '9000000000-100000x300' },
      { [`waymark_disk_free_bytes{disk="database",${ofOne}}`]: '9000000000x300' },
    ],
    labels: { ...one, disk: 'database' },
    description: 'At the rate of the last day, the disk of database on one:8080 will be full within a week.',
  },
  {
    alert: 'WaymarkRenditionsBusy',
    minutes: 30,
    fires: { [`waymark_rendition_job_duration_seconds_count{outcome="busy",${ofOne}}`]: '0+2x40' },
    quiet: [
      { [`waymark_rendition_job_duration_seconds_count{outcome="busy",${ofOne}}`]: '0x25 1 2 3 3x40' },
      { [`waymark_rendition_job_duration_seconds_count{outcome="done",${ofOne}}`]: '0+9x40' },
    ],
    description: 'Uploads are refused with 503 because the rendition queue is full.',
  },
  {
    alert: 'WaymarkSweepLate',
    minutes: 270,
    fires: {
      [`waymark_last_sweep_timestamp_seconds{${ofOne}}`]: '0x300',
      [`waymark_last_sweep_timestamp_seconds{${ofTwo}}`]: '60x300',
    },
    // One of several nodes collects garbage.
    quiet: [
      {
        [`waymark_last_sweep_timestamp_seconds{${ofOne}}`]: '0x300',
        [`waymark_last_sweep_timestamp_seconds{${ofTwo}}`]: '0+60x300',
      },
    ],
    labels: { job: 'waymark' },
    description: 'No node has finished a garbage collection for three hours.',
  },
  {
    alert: 'WaymarkBackupLate',
    minutes: 270,
    fires: {
      [`waymark_backup_due_timestamp_seconds{${ofOne}}`]: '60x300',
      [`waymark_backup_due_timestamp_seconds{${ofTwo}}`]: '60x300',
    },
    quiet: [
      // A node that does not know about the success yet, beside one that does.
      {
        [`waymark_backup_due_timestamp_seconds{${ofOne}}`]: '60x300',
        [`waymark_backup_due_timestamp_seconds{${ofTwo}}`]: '60x100 86400x200',
      },
      { [`waymark_backup_due_timestamp_seconds{${ofOne}}`]: '9000x300' },
    ],
    labels: { job: 'waymark' },
    description: 'The scheduled backup has been due for 4h 29m 0s and has not succeeded.',
  },
  {
    alert: 'WaymarkReviewWaiting',
    minutes: 1_500,
    fires: { [`waymark_images{state="pending",${ofOne}}`]: '1200x1600' },
    quiet: [
      { [`waymark_images{state="pending",${ofOne}}`]: '900x1600' },
      { [`waymark_images{state="approved",${ofOne}}`]: '90000x1600' },
    ],
    labels: { job: 'waymark' },
    description: '1200 photos are pending review.',
  },
  {
    alert: 'WaymarkWebhooksWaiting',
    minutes: 40,
    fires: { [`waymark_webhook_deliveries_waiting{${ofOne}}`]: '2000x60' },
    quiet: [{ [`waymark_webhook_deliveries_waiting{${ofOne}}`]: '2000x20 10x60' }],
    labels: { job: 'waymark' },
    description: '2000 webhook deliveries are queued.',
  },
  {
    alert: 'WaymarkEventLoopBlocked',
    minutes: 15,
    fires: { [`nodejs_eventloop_lag_p99_seconds{${ofOne}}`]: '0.5x20' },
    quiet: [
      { [`nodejs_eventloop_lag_p99_seconds{${ofOne}}`]: '0.02x20' },
      { 'nodejs_eventloop_lag_p99_seconds{job="other",instance="one:9000"}': '0.5x20' },
    ],
    labels: one,
    description: 'The event loop of one:8080 lags 500ms (p99).',
  },
  {
    alert: 'WaymarkMemory',
    minutes: 20,
    fires: { [`process_resident_memory_bytes{${ofOne}}`]: '2147483648x30' },
    quiet: [{ [`process_resident_memory_bytes{${ofOne}}`]: '400000000x30' }],
    labels: one,
    description: 'one:8080 uses 2GiB.',
  },
  {
    alert: 'WaymarkOpenFiles',
    minutes: 15,
    fires: { [`process_open_fds{${ofOne}}`]: '900x20', [`process_max_fds{${ofOne}}`]: '1000x20' },
    quiet: [{ [`process_open_fds{${ofOne}}`]: '90x20', [`process_max_fds{${ofOne}}`]: '1000x20' }],
    labels: one,
    description: 'one:8080 uses 90% of its file descriptors.',
  },
  {
    alert: 'WaymarkWalGrowing',
    minutes: 40,
    fires: { [`waymark_database_bytes{part="wal",${ofOne}}`]: '2147483648x60' },
    quiet: [
      { [`waymark_database_bytes{part="wal",${ofOne}}`]: '64000000x60' },
      { [`waymark_database_bytes{part="main",${ofOne}}`]: '9000000000x60' },
    ],
    labels: { ...one, part: 'wal' },
    description: 'The WAL on one:8080 is 2GiB.',
  },
  {
    alert: 'WaymarkWritersWait',
    minutes: 20,
    fires: {
      [`${waits}{le="0.5",${ofOne}}`]: '0+10x30',
      [`${waits}{le="1",${ofOne}}`]: '0+20x30',
      [`${waits}{le="+Inf",${ofOne}}`]: '0+20x30',
    },
    quiet: [
      {
        [`${waits}{le="0.5",${ofOne}}`]: '0+20x30',
        [`${waits}{le="1",${ofOne}}`]: '0+20x30',
        [`${waits}{le="+Inf",${ofOne}}`]: '0+20x30',
      },
    ],
    description: '5 % of writes wait 950ms or more for the write lock.',
  },
  {
    alert: 'WaymarkStoreSlow',
    minutes: 30,
    fires: {
      [`${calls}{call="read",le="1",${ofOne}}`]: '0+10x40',
      [`${calls}{call="read",le="5",${ofOne}}`]: '0+20x40',
      [`${calls}{call="read",le="+Inf",${ofOne}}`]: '0+20x40',
    },
    quiet: [
      {
        [`${calls}{call="remove",le="1",${ofOne}}`]: '0+10x40',
        [`${calls}{call="remove",le="5",${ofOne}}`]: '0+20x40',
        [`${calls}{call="remove",le="+Inf",${ofOne}}`]: '0+20x40',
      },
    ],
    description: '5 % of calls take 4.6s or more.',
  },
  {
    alert: 'WaymarkScrapeFailures',
    minutes: 40,
    fires: { [`waymark_scrape_failures_total{${ofOne}}`]: '0+1x60' },
    quiet: [{ [`waymark_scrape_failures_total{${ofOne}}`]: '0x10 1x60' }],
    labels: one,
    description: 'one:8080 has omitted metrics from its responses.',
  },
  {
    alert: 'WaymarkRateLimited',
    minutes: 25,
    fires: {
      [`waymark_rate_limited_requests_total{policy="key",${ofOne}}`]: '0+30x40',
      [`${requests}{status="429",${ofOne}}`]: '0+30x40',
      [`${requests}{status="200",${ofOne}}`]: '0+70x40',
    },
    quiet: [
      {
        [`waymark_rate_limited_requests_total{policy="key",${ofOne}}`]: '0+3x40',
        [`${requests}{status="429",${ofOne}}`]: '0+3x40',
        [`${requests}{status="200",${ofOne}}`]: '0+97x40',
      },
    ],
    description: '30% of all requests are rate limited.',
  },
  {
    alert: 'WaymarkVersionsMixed',
    minutes: 80,
    fires: {
      [`waymark_build_info{version="1.0.0",node="26",${ofOne}}`]: '1x100',
      [`waymark_build_info{version="1.1.0",node="26",${ofTwo}}`]: '1x100',
    },
    quiet: [
      {
        [`waymark_build_info{version="1.1.0",node="24",${ofOne}}`]: '1x100',
        [`waymark_build_info{version="1.1.0",node="26",${ofTwo}}`]: '1x100',
      },
    ],
    labels: { job: 'waymark' },
    description: 'An upgrade has not finished within an hour.',
  },
]
