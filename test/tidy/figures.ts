/**
 * The shape of the tree in figures: `npm run tidy:figures`. What has to be 0 is held by the tests
 * of this folder; the largest folders, files and functions show where it grows.
 */
import { dirname } from 'node:path';
import ts from 'typescript';
import { citableIn, citationViolations } from './citations.js';
import { importCircles, importViolations } from './import-rules.js';
import { documentTree, isInRepository, type SourceFile, sourceTree } from './source-tree.js';

/** Something with a length, and where it stands. */
interface Measured {
  readonly place: string;
  /** Lines, or files of a folder. */
  readonly size: number;
}

const shown = 5;

/** Functions, methods and accessors of a file that have a body, with their lines. */
function functionsOf({ path, text }: SourceFile): Measured[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Measured[] = [];
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = lineAt(node.getStart());
      found.push({ place: `${path}:${first + 1}`, size: lineAt(node.getEnd()) - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function byFolder(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
}

/** The value below which the given share of `sorted` lies. */
function quantile(sorted: readonly Measured[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.size ?? 0;
}

function print(what: string, unit: string, measured: readonly Measured[]): void {
  const sorted = [...measured].sort((one, other) => one.size - other.size);
  const figures = [0.5, 0.9, 1].map((share) => quantile(sorted, share)).join(' / ');
  process.stdout.write(`${sorted.length} ${what}, ${unit} p50 / p90 / max: ${figures}\n`);
  for (const { place, size } of sorted.slice(-shown).reverse()) {
    process.stdout.write(`${String(size).padStart(8)}  ${place}\n`);
  }
}

const tree = sourceTree();
const product = tree.filter(({ path }) => /^(src|storage)\//.test(path));
const documents = documentTree();
const citable = citableIn(documents, isInRepository);
const folders = [...byFolder(product)].map(([place, size]) => ({ place, size }));
print('folders of the product', 'files', folders);
print(
  'files of the product',
  'lines',
  product.map(({ path, lines }) => ({ place: path, size: lines.length })),
);
print('functions of the product', 'lines', product.flatMap(functionsOf));
const up = importViolations(tree).length;
const circles = importCircles(tree).length;
const citations = citationViolations([...tree, ...documents], citable).length;
process.stdout.write(`${up} imports that the order of folders forbids, types included\n`);
process.stdout.write(`${circles} circles of files, types included\n`);
process.stdout.write(`${citations} citations that do not resolve\n`);
