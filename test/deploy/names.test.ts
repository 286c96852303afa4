import { readFile } from 'node:fs/promises';
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
