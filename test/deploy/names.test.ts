import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itWithPromtool, promtool } from '../support/program/promtool.js';
import { startServer } from '../support/server.js';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(root, path), 'utf8');

/** What a server exports: from its name to its type and what it means. */
let exported: ReadonlyMap<string, { readonly type: string; readonly help: string }>;
let scraped = '';

beforeAll(async () => {
  const server = await startServer();
  const text = await (await fetch(`${server.url}/metrics`)).text();
  await server.remove();
  scraped = text;
  exported = new Map(
    [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
      ([, name = '', help = '', type = '']) => [name, { type, help }],
    ),
  );
});

/** Names of metrics in a text, without the parts of histograms. */
function metricsIn(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(/\bstepwell_[a-z_]+/g)].map(([name]) => name);
  const parts = /_(bucket|sum|count)$/;
  return new Set(names.map((name) => (exported.has(name) ? name : name.replace(parts, ''))));
}

it.each(['deploy/prometheus/alerts.yaml', 'deploy/grafana/stepwell.json'])(
  '%s asks for metrics that a server exports',
  async (path) => {
    const asked = [...metricsIn(await read(path))];
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !exported.has(name))).toEqual([]);
  },
);

itWithPromtool('Prometheus takes the metrics and the rules', async () => {
  expect(promtool(['check', 'metrics'], scraped)).toBe('');
  expect(promtool(['check', 'rules', join(root, 'deploy/prometheus/alerts.yaml')])).toBe('');
});

/** Series by name, as promtool has them, and the labels with which an alert fires after so long. */
interface AlertCase {
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  readonly firing: readonly Readonly<Record<string, string>>[];
}

/** What promtool has against the rules; empty = the alert fires as the cases say. */
async function alertDefects(alertname: string, cases: readonly AlertCase[]): Promise<string> {
  const rules = {
    rule_files: [join(root, 'deploy/prometheus/alerts.yaml')],
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

it('every counter of failures has an alert', async () => {
  const asked = metricsIn(await read('deploy/prometheus/alerts.yaml'));
  // What a collector does not take is no failure of the server, and the log says it.
  const unasked = [...exported.keys()].filter((name) => {
    const [, what] = /^(.*)_(failed|failures|differed)_total$/.exec(name) ?? [];
    // A metric of when the last one was says as much.
    const isAsked = asked.has(name) || asked.has(`${what}_last_failure_timestamp_seconds`);
    return what !== undefined && !isAsked;
  });
  expect(unasked).toEqual(['stepwell_otlp_failures_total']);
});

it('every alert says what to do', async () => {
  const rules = (await read('deploy/prometheus/alerts.yaml')).split('- alert: ').slice(1);
  const lacking = rules.filter((rule) => !/summary: \S.*\n\s+action: \S/.test(rule));
  expect(lacking).toEqual([]);
});

it('every panel of the board asks for something, and no two have one id', async () => {
  const { panels } = JSON.parse(await read('deploy/grafana/stepwell.json')) as {
    panels: readonly { id: number; targets: readonly { expr: string }[] }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
});

it('docs/metrics.md has a row for each metric, as the server says it', async () => {
  const rows = (await read('docs/metrics.md')).matchAll(/^\| `(\w+)` *\| (\w+) *\| (.*?) *\|$/gm);
  const documented = [...rows].map(([, name, type, help]) => ({ name, type, help }));
  const declared = [...exported].map(([name, { type, help }]) => ({ name, type, help }));
  const byName = (one: { name?: string }, other: { name?: string }) =>
    (one.name ?? '') < (other.name ?? '') ? -1 : 1;
  expect(documented).toEqual(declared.sort(byName));
});

it('the image, the service and the package start the same program', async () => {
  const { bin, engines } = JSON.parse(await read('package.json'));
  const program = `node_modules/stepwell/${bin.stepwell}`;
  const [image, service] = [
    await read('deploy/Dockerfile'),
    await read('deploy/systemd/stepwell.service'),
  ];
  expect(image).toContain(program);
  expect(service).toContain(program);
  const [, version] = /^FROM node:(\d+)-slim\nCOPY --from/m.exec(image) ?? [];
  expect(engines.node).toContain(`^${version}.`);
});
