import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itWithPromtool, promtool } from '../support/program/promtool.js';

const rulesFile = join(import.meta.dirname, '../../deploy/prometheus/alerts.yaml');

/** Series by name, as promtool has them, and the labels with which an alert fires after so long. */
interface AlertCase {
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  readonly firing: readonly Readonly<Record<string, string>>[];
}

/** What promtool has against the rules; empty = the alert fires as the cases say. */
async function alertDefects(alertname: string, cases: readonly AlertCase[]): Promise<string> {
  const rules = {
    rule_files: [rulesFile],
    tests: cases.map(({ series, at, firing }) => ({
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          eval_time: at,
          expr: `ALERTS{alertname="${alertname}", alertstate="firing"}`,
          exp_samples: firing.map((labels) => ({ labels: alertOf(alertname, labels), value: 1 })),
        },
      ],
    })),
  };
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-rules-'));
  try {
    await writeFile(join(folder, 'rules.json'), JSON.stringify(rules));
    return promtool(['test', 'rules', join(folder, 'rules.json')]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function alertOf(alertname: string, labels: Readonly<Record<string, string>>): string {
  const all = Object.entries({ alertname, alertstate: 'firing', ...labels });
  return `ALERTS{${all.map(([name, value]) => `${name}="${value}"`).join(', ')}}`;
}

itWithPromtool('messages that all fail alert, however often each was tried', async () => {
  const rising = (added: string) => `0+${added}x60`;
  const defects = await alertDefects(
    'StepwellDeliveriesFail',
    [
      { failed: '1', delivered: '0', firing: [{ severity: 'warn' }] },
      { failed: '1', delivered: '9', firing: [] },
    ].map(({ failed, delivered, firing }) => ({
      series: {
        'stepwell_attempts_total{outcome="failed"}': rising(failed),
        'stepwell_attempts_total{outcome="retried"}': rising('10'),
        'stepwell_attempts_total{outcome="delivered"}': rising(delivered),
        'stepwell_messages_ended_total{state="failed"}': rising(failed),
        'stepwell_messages_ended_total{state="delivered"}': rising(delivered),
        'stepwell_messages_ended_total{state="canceled"}': rising('100'),
      },
      at: '50m',
      firing,
    })),
  );
  expect(defects).toBe('');
});

itWithPromtool('an instance that is not scraped alerts, also beside one that is', async () => {
  const gone = '1x10 0x50';
  const info = (instance: string) => `stepwell_build_info{job="own", instance="${instance}"}`;
  const up = (job: string, instance: string) => `up{job="${job}", instance="${instance}"}`;
  const page = { severity: 'page', job: 'own', instance: 'a' };
  const defects = await alertDefects('StepwellInstanceDown', [
    {
      series: {
        [up('own', 'a')]: gone,
        [up('own', 'b')]: '1x60',
        [up('other', 'c')]: gone,
        [info('a')]: '1x10 _x50',
        [info('b')]: '1x60',
      },
      at: '50m',
      firing: [page],
    },
    { series: { [up('own', 'a')]: gone, [info('a')]: '1x10 _x50' }, at: '50m', firing: [page] },
    { series: { [up('own', 'a')]: '1x60', [info('a')]: '1x60' }, at: '50m', firing: [] },
  ]);
  expect(defects).toBe('');
});

itWithPromtool('a server that ends again and again alerts, however long it lives', async () => {
  const labels = '{job="own", instance="a"}';
  const started = (values: string, job = 'own') => ({
    [`process_start_time_seconds{job="${job}", instance="a"}`]: values,
    // Each time it is scraped a little later in its life: nothing falls.
    [`stepwell_uptime_seconds${labels}`]: '10+1x60',
    [`stepwell_build_info${labels}`]: '1x60',
  });
  const page = { severity: 'page', job: 'own', instance: 'a' };
  const defects = await alertDefects('StepwellRestarts', [
    { series: started('1000+300x60'), at: '20m', firing: [page] },
    { series: started('1000x10 1300x10 1600x10 1900x30'), at: '35m', firing: [] },
    { series: started('1000+300x60', 'other'), at: '20m', firing: [] },
  ]);
  expect(defects).toBe('');
});

itWithPromtool('a cluster without an owner alerts, also beside one that has one', async () => {
  const role = (job: string, instance: string, values: string) => ({
    [`stepwell_cluster_role{job="${job}", instance="${instance}", role="owner"}`]: values,
    [`stepwell_cluster_role{job="${job}", instance="${instance}", role="follower"}`]: '1x60',
  });
  const defects = await alertDefects('StepwellNoOwner', [
    {
      series: {
        ...role('one', 'a', '1x10 _x50'),
        ...role('one', 'b', '0x60'),
        ...role('other', 'c', '1x60'),
      },
      at: '30m',
      firing: [{ severity: 'page', job: 'one' }],
    },
    {
      series: { ...role('one', 'a', '1x10 _x50'), ...role('one', 'b', '0x10 1x50') },
      at: '30m',
      firing: [],
    },
    { series: { 'stepwell_build_info{job="one", instance="a"}': '1x60' }, at: '30m', firing: [] },
  ]);
  expect(defects).toBe('');
});

itWithPromtool('an owner that can append nothing alerts, beside servers alone too', async () => {
  const node = (instance: string, role: string, heard: string) => ({
    [`stepwell_cluster_role{job="one", instance="${instance}", role="owner"}`]: role,
    [`stepwell_cluster_heard_seconds{job="one", instance="${instance}"}`]: heard,
  });
  const series = (heard: string) => ({
    ...node('a', '1x60', heard),
    ...node('b', '0x60', '0x10 60+60x50'),
    'stepwell_cluster_heard_seconds{job="one", instance="alone"}': '0x60',
  });
  const silent = '0x10 60+60x9 0x40';
  const defects = await alertDefects('StepwellNoOwner', [
    { series: series(silent), at: '15m', firing: [{ severity: 'page', job: 'one' }] },
    { series: series(silent), at: '30m', firing: [] },
    { series: series('0x60'), at: '30m', firing: [] },
  ]);
  expect(defects).toBe('');
});

itWithPromtool('a follower that is minutes behind alerts, however large batches are', async () => {
  const labels = 'job="one", instance="a"';
  const series = (place: string, behind: string) => ({
    [`stepwell_cluster_place{${labels}}`]: place,
    [`stepwell_cluster_follower_behind{${labels}, node="http://b"}`]: behind,
    [`stepwell_cluster_follower_behind{${labels}, node="http://c"}`]: '20x60',
  });
  const [large, small, idle] = ['0+400x60', '0+60000x60', '0+160x60'];
  const warn = { severity: 'warn', job: 'one', instance: 'a', node: 'http://b' };
  const defects = await alertDefects('StepwellFollowerBehind', [
    { series: series(large, '20x10 2500x20 20x30'), at: '20m', firing: [warn] },
    { series: series(large, '20x10 2500x20 20x30'), at: '40m', firing: [] },
    { series: series(small, '20x10 10000x50'), at: '40m', firing: [] },
    { series: series(small, '20x10 300000x50'), at: '40m', firing: [warn] },
    { series: series(idle, '20x60'), at: '40m', firing: [] },
    // The shared log is away.
    { series: series('0+160x10 1600x50', '20x60'), at: '40m', firing: [] },
  ]);
  expect(defects).toBe('');
});

itWithPromtool('a heap that is nearly full alerts, a small one too', async () => {
  const mebibyte = 1024 ** 2;
  // As a process says of itself that is about to end.
  const heap = (used: number, limit: number) => ({
    stepwell_heap_used_bytes: `${used * mebibyte}x60`,
    stepwell_heap_limit_bytes: `${limit * mebibyte}x60`,
  });
  const page = { severity: 'page' };
  const defects = await alertDefects('StepwellHeapNearLimit', [
    { series: heap(250, 304), at: '30m', firing: [page] },
    { series: heap(3900, 4144), at: '30m', firing: [page] },
    { series: heap(200, 304), at: '30m', firing: [] },
    { series: heap(3300, 4144), at: '30m', firing: [] },
  ]);
  expect(defects).toBe('');
});

itWithPromtool('a server that answers and does not serve alerts', async () => {
  const series = (values: string) => ({ stepwell_ready: values });
  const defects = await alertDefects('StepwellNotReady', [
    { series: series('0x20'), at: '10m', firing: [{ severity: 'page' }] },
    { series: series('0x3 1x20'), at: '10m', firing: [] },
  ]);
  expect(defects).toBe('');
});

itWithPromtool(
  'a disk that is nearly full alerts, and none that does not say how full it is',
  async () => {
    const gigabyte = 1024 ** 3;
    const disk = (available: number, total: number, full = 0) => ({
      stepwell_disk_available_bytes: `${available}x20`,
      stepwell_disk_total_bytes: `${total}x20`,
      stepwell_disk_full: `${full}x20`,
    });
    const [page, at] = [{ severity: 'page' }, '10m'];
    const defects = await alertDefects('StepwellDiskFull', [
      { series: disk(9 * gigabyte, 100 * gigabyte), at, firing: [page] },
      { series: disk(gigabyte, 2 * gigabyte), at, firing: [page] },
      { series: disk(50 * gigabyte, 100 * gigabyte, 1), at, firing: [page] },
      { series: disk(50 * gigabyte, 100 * gigabyte), at, firing: [] },
      { series: disk(0, 0), at, firing: [] },
    ]);
    expect(defects).toBe('');
  },
);

itWithPromtool('a backup that failed alerts until a later one is made', async () => {
  const series = (failed: string, made: string) => ({
    stepwell_backup_last_failure_timestamp_seconds: failed,
    stepwell_backup_last_success_timestamp_seconds: made,
  });
  const warn = { severity: 'warn' };
  const defects = await alertDefects('StepwellBackupFails', [
    { series: series('0x9 600x90', '0x100'), at: '11m', firing: [warn] },
    { series: series('0x9 600x90', '0x19 1200x80'), at: '19m', firing: [warn] },
    { series: series('0x9 600x90', '0x19 1200x80'), at: '21m', firing: [] },
    // After a restart.
    { series: series('600x9 0x90', '0x100'), at: '50m', firing: [warn] },
    { series: series('600x9 0x90', '0x19 1200x80'), at: '50m', firing: [] },
    { series: series('0x100', '0x100'), at: '50m', firing: [] },
  ]);
  expect(defects).toBe('');
});

itWithPromtool('a clock that jumped alerts in the hour before it is believed', async () => {
  const series = { stepwell_retention_paused: '0x9 1x59 0x60' };
  const defects = await alertDefects('StepwellRetentionPaused', [
    { series, at: '20m', firing: [{ severity: 'page' }] },
    { series, at: '75m', firing: [] },
    { series: { stepwell_retention_paused: '0x9 1x2 0x60' }, at: '16m', firing: [] },
  ]);
  expect(defects).toBe('');
});
