/** The Helm chart: its values, its schema, and what it renders. */
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import {
  ChartRenderer,
  chartFile,
  chartFolder,
  itWithGo,
  type KubernetesObject,
  type Rendered,
} from '../support/program/chart.js';
import { freePort, ServerProcess } from '../support/program/server-process.js';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const schema = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8'));
const isValid = new Ajv({ allErrors: true }).compile(schema);

/** Every setting that the server has, as docs/configuration.md names them. */
const [, settingsTable = ''] = read('docs/configuration.md').split(
  /^## Settings$|^## The journal$/m,
);
const settings = [...settingsTable.matchAll(/^\| (`STEPWELL[^|]*)\|/gm)].flatMap(([, names = '']) =>
  [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
);

const chosen = {
  image: { repository: 'registry.example/stepwell', tag: '1.2.3' },
  settings: { STEPWELL_DIALECT: 'upstash', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' },
  credentials: { values: { STEPWELL_TOKEN: 'a-token-of-a-test' } },
  archive: { enabled: true },
  backup: { enabled: true, existingClaim: 'backups' },
  ingress: { enabled: true, className: 'nginx', hosts: ['stepwell.example'] },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  dashboard: { enabled: true },
  podDisruptionBudget: { enabled: true },
  tolerations: [{ key: 'disk', operator: 'Exists' }],
};

describe('values', () => {
  const values = chartFile<Record<string, unknown>>('values.yaml');

  it('of the chart are valid, and none is missing in the schema', () => {
    isValid(values);
    expect(isValid.errors ?? []).toEqual([]);
    const described = Object.keys(schema.properties).filter((name) => name !== 'global');
    expect(Object.keys(values).sort()).toEqual(described.sort());
  });

  it('take from settings what the chart itself decides, and what is secret', () => {
    const { settings: given, credentials } = schema.properties;
    const own = ['HOST', 'PORT', 'DATA_DIR', 'ARCHIVE_DIR', 'BACKUP_DIR'];
    const taken = [
      ...credentials.properties.values.propertyNames.enum,
      ...own.map((name) => `STEPWELL_${name}`),
    ];
    expect(taken.filter((name) => !settings.includes(name))).toEqual([]);
    expect(given.propertyNames.not.enum.sort()).toEqual(taken.sort());
  });

  it('of a release that has everything are valid', () => {
    const release = Object.fromEntries(
      Object.entries(values).map(([name, own]) => {
        const given = (chosen as Record<string, unknown>)[name] ?? own;
        return [name, isPlain(own) && isPlain(given) ? { ...own, ...given } : given];
      }),
    );
    isValid(release);
    expect(isValid.errors ?? []).toEqual([]);
  });

  it.each([
    ['a setting that is not one', { settings: { DIALECT: 'svc' } }],
    ['a secret as a setting', { settings: { STEPWELL_TOKEN: 'a-token-of-a-test' } }],
    ['a setting of the chart itself', { settings: { STEPWELL_PORT: '80' } }],
    ['a number as a setting', { settings: { STEPWELL_MAX_BODY: 20_000_000 } }],
    ['a field that is not one', { replicas: 2 }],
    ['an ingress without a host', { ingress: { enabled: true, hosts: [] } }],
    ['a size without a unit', { persistence: { size: '10' } }],
    ['a stop that is cut off', { terminationGracePeriodSeconds: 5 }],
    ['a credential that is not one', { credentials: { values: { TOKEN: 'x' } } }],
  ])('refuse %s', (_, wrong) => {
    expect(isValid({ ...values, ...wrong })).toBe(false);
  });
});

it('the chart, its program and the package have one version', () => {
  const { version, appVersion } = chartFile<{ version: string; appVersion: string }>('Chart.yaml');
  const { version: packaged } = JSON.parse(read('package.json'));
  expect([version, appVersion]).toEqual([packaged, packaged]);
});

describe('rendered', () => {
  let renderer: ChartRenderer | null = null;
  const render = (values: object, release?: string): Rendered => {
    renderer ??= new ChartRenderer();
    return renderer.render(values, release);
  };
  afterAll(() => renderer?.remove());

  itWithGo('with its own values: one server, its volume and a service', () => {
    const { objects, notes } = render({});
    expect(objects.map(({ kind }) => kind).sort()).toEqual(['Service', 'StatefulSet']);
    expect(podOf(objects)).toMatchObject({ enableServiceLinks: false });
    expect(containerOf(objects).envFrom).toBeUndefined();
    expect(notes).toContain('It makes its own credentials');
  });

  itWithGo('with everything: each object, below one name', () => {
    const { objects, notes } = render(chosen);
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Ingress',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Secret',
      'Service',
      'ServiceMonitor',
      'StatefulSet',
    ]);
    for (const { metadata } of objects) {
      expect(metadata.name).toMatch(/^demo-stepwell/);
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/instance': 'demo' });
    }
    expect(notes).not.toContain('It makes its own credentials');
  });

  itWithGo('the server runs as the image and the settings say', () => {
    const { objects } = render(chosen);
    const { image, env, envFrom, ports, volumeMounts, securityContext } = containerOf(objects);
    expect(image).toBe('registry.example/stepwell:1.2.3');
    expect(envFrom).toEqual([{ secretRef: { name: 'demo-stepwell' } }]);
    const names = env.map(({ name }) => name).filter((name) => !name.startsWith('OTEL_'));
    expect(names.filter((name) => !settings.includes(name))).toEqual([]);
    const folders = env.filter(({ name }) => name.endsWith('_DIR')).map(({ value }) => value);
    const mounts = volumeMounts.map(({ mountPath }) => mountPath);
    expect(folders).toHaveLength(3);
    for (const folder of folders)
      expect(mounts.some((mount) => `${folder}/`.startsWith(`${mount}/`))).toBe(true);
    const [, exposed] = /^EXPOSE (\d+)$/m.exec(read('deploy/Dockerfile')) ?? [];
    expect(ports).toEqual([{ name: 'http', containerPort: Number(exposed) }]);
    expect(env).toContainEqual({ name: 'STEPWELL_PORT', value: exposed });
    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    expect(podOf(objects).securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  });

  itWithGo('the server starts with what the pod gives it, and answers its probes', async () => {
    const { objects } = render(chosen);
    const container = containerOf(objects);
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-pod-'));
    const secret = objects.find(({ kind }) => kind === 'Secret')?.stringData ?? {};
    const given = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    const port = await freePort();
    const here = { STEPWELL_PORT: `${port}`, OTEL_EXPORTER_OTLP_ENDPOINT: undefined };
    for (const name of Object.keys(given).filter((each) => each.endsWith('_DIR'))) {
      given[name] = join(folder, given[name] ?? '');
      await mkdir(given[name], { recursive: true });
    }
    const server = await ServerProcess.start(folder, port, { ...given, ...secret, ...here });
    try {
      const { startupProbe, livenessProbe, readinessProbe } = container;
      for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
        expect(httpGet.port).toBe('http');
        expect((await fetch(`${server.url}${httpGet.path}`)).status).toBe(200);
      }
      const headers = { authorization: `Bearer ${secret['STEPWELL_TOKEN']}` };
      expect((await fetch(`${server.url}/v2/queues`, { headers })).status).toBe(200);
      expect(await server.kill('SIGTERM')).toBe(0);
    } finally {
      await server.kill();
      await rm(folder, { recursive: true });
    }
  });

  itWithGo('claims are made of what has no claim yet', () => {
    const claimsOf = (values: object) =>
      (specOf(render(values).objects, 'StatefulSet').volumeClaimTemplates ?? []).map(
        ({ metadata }) => metadata.name,
      );
    expect(claimsOf({})).toEqual(['data']);
    expect(claimsOf(chosen)).toEqual(['data', 'archive']);
    expect(claimsOf({ persistence: { existingClaim: 'old' } })).toEqual([]);
  });

  itWithGo('rules and board are those of deploy', () => {
    const { objects } = render(chosen);
    expect(specOf(objects, 'PrometheusRule')).toEqual(parse(read('deploy/prometheus/alerts.yaml')));
    const board = objects.find(({ kind }) => kind === 'ConfigMap')?.data?.['stepwell.json'] ?? '';
    expect(JSON.parse(board)).toEqual(JSON.parse(read('deploy/grafana/stepwell.json')));
  });

  itWithGo('what selects a pod selects the one that is made', () => {
    const { objects } = render(chosen, 'stepwell-eu');
    const { selector, template } = specOf(objects, 'StatefulSet');
    const wanted = selector.matchLabels;
    expect(template.metadata.labels).toMatchObject(wanted);
    expect(specOf(objects, 'Service').selector).toEqual(wanted);
    expect(specOf(objects, 'PodDisruptionBudget').selector.matchLabels).toEqual(wanted);
    expect(specOf(objects, 'ServiceMonitor').selector.matchLabels).toEqual(wanted);
  });

  itWithGo('credentials of two places are refused', () => {
    const values = { credentials: { ...chosen.credentials, existingSecret: 'mine' } };
    expect(() => render(values)).toThrow('use one of them');
  });
});

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What these tests read of objects of any kind. */
interface Spec {
  readonly selector: { readonly matchLabels: object };
  readonly template: Record<'spec', Pod> & { readonly metadata: { readonly labels: object } };
  readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
}
interface Pod {
  readonly containers: readonly [Container];
  readonly securityContext: object;
}
interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly object[];
  readonly ports: readonly object[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly securityContext: object;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

function specOf(objects: readonly KubernetesObject[], kind: string): Spec {
  const found = objects.find((object) => object.kind === kind);
  if (found?.spec === undefined) throw new Error(`no ${kind} is rendered`);
  return found.spec as Spec;
}
const podOf = (objects: readonly KubernetesObject[]) =>
  specOf(objects, 'StatefulSet').template.spec;
const containerOf = (objects: readonly KubernetesObject[]) => podOf(objects).containers[0];
