/** Renders the Helm chart of the repository with Helm's parts in Go, where they are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

/** The folder of the chart. */
export const chartFolder = join(import.meta.dirname, '../../../deploy/helm/stepwell');

const packages = '/usr/share/gocode';
const exists =
  spawnSync('go', ['version']).status === 0 &&
  existsSync(join(packages, 'src/github.com/Masterminds/sprig')) &&
  existsSync(join(packages, 'src/sigs.k8s.io/yaml'));

/** A test that is skipped, and says why, where Go or the packages are not installed. */
export function itWithGo(name: string, run: (() => void) | (() => Promise<void>)): void {
  if (exists) it(name, run);
  else it.skip(`${name} (Go, sprig and sigs.k8s.io/yaml are not installed)`, run);
}

/** An object of Kubernetes, or a part of one: fields are read as JSON is. */
export interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

/** What a rendering makes: objects in the order of their files, and what a person reads. */
export interface Rendered {
  readonly objects: readonly KubernetesObject[];
  readonly notes: string;
}

/** A renderer, built once; `remove` takes it away. */
export class ChartRenderer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'stepwell-chart-'));
  private readonly program = join(this.folder, 'render');

  constructor() {
    const source = join(import.meta.dirname, 'render-chart.go');
    execFileSync('go', ['build', '-o', this.program, source], {
      env: {
        PATH: process.env['PATH'],
        GO111MODULE: 'off',
        GOPATH: packages,
        GOCACHE: join(this.folder, 'cache'),
      },
    });
  }

  /** Throws what the chart refuses. */
  render(values: object, release = 'demo'): Rendered {
    const path = join(this.folder, 'values.json');
    writeFileSync(path, JSON.stringify(values));
    const words = [chartFolder, path, release];
    const { status, stdout, stderr } = spawnSync(this.program, words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    const { 'NOTES.txt': notes = '', ...files }: Record<string, string> = JSON.parse(stdout);
    return { objects: Object.values(files).flatMap(objectsIn), notes };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function objectsIn(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const object = document.toJS();
    return object === null ? [] : [object];
  });
}

/** A YAML file of the chart. */
export function chartFile<Content>(name: string): Content {
  return parse(readFileSync(join(chartFolder, name), 'utf8'));
}
