/** Results as one table, ratios first. Markdown, so that it can be kept as it was printed. */
import type { Case, Performance, Result } from './contest.js';
import { type Figure, type Measurement, meets } from './measurement.js';
import type { Spread } from './statistics.js';

const columns = [
  'case',
  'beside',
  'ratio (lowest-highest)',
  'goal',
  'CPU ratio',
  'per second',
  'beside per second',
  'p50 / p99 ms',
  'beside p50 / p99 ms',
  'CPU us',
  'beside CPU us',
  'RSS MiB',
  'beside RSS MiB',
  'noisy',
];

/** A line for each contest. */
export function table(results: readonly Result[]): string {
  return markdown([columns, ...results.map(lineOf)]);
}

/** What one measurement found. */
export interface Found {
  readonly measurement: Measurement;
  readonly figures: readonly Figure[];
}

/** A line for each figure of the measurements. */
export function figureTable(found: readonly Found[]): string {
  const lines = found.flatMap(({ measurement: { scenario, name }, figures }) =>
    figures.map((figure) => [
      `${scenario}: ${name}`,
      figure.name,
      rounded(figure.value),
      verdictOf(figure),
    ]),
  );
  return markdown([['case', 'figure', 'seen', 'goal'], ...lines]);
}

/** A table of cells, its head first. */
export function markdown(lines: readonly string[][]): string {
  const [head = []] = lines;
  const widths = head.map((_, index) => Math.max(...lines.map((line) => width(line, index))));
  const pad = (line: readonly string[]) =>
    `| ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((length) => '-'.repeat(length)).join(' | ')} |`;
  return [pad(head), rule, ...lines.slice(1).map(pad)].join('\n');
}

/** One result while the others still run. */
export function summary({
  case: { scenario, name, unit },
  ratio,
  stepwell,
  beside,
}: Result): string {
  const rates = `${whole(stepwell.rate.median)} and ${whole(beside.rate.median)} ${unit}/s`;
  return `${scenario}: ${name}: ${ratioOf(ratio)} (${rates})`;
}

/** The same for a measurement. */
export function figureSummary({ measurement: { scenario, name }, figures }: Found): string {
  const seen = figures.map((figure) => `${figure.name} ${rounded(figure.value)}`);
  return `${scenario}: ${name}: ${seen.join('; ')}`;
}

function lineOf(result: Result): string[] {
  const { case: subject, noisyRounds, ratio, stepwell, beside } = result;
  const { scenario, name, unit } = subject;
  return [
    `${scenario}: ${name}`,
    subject.beside,
    ratioOf(ratio),
    goalOf(result),
    (beside.cpuMicroseconds / stepwell.cpuMicroseconds).toFixed(2),
    `${whole(stepwell.rate.median)} ${unit}${bytesOf(subject, stepwell)}`,
    `${whole(beside.rate.median)}${bytesOf(subject, beside)}`,
    latencyOf(stepwell),
    latencyOf(beside),
    stepwell.cpuMicroseconds.toFixed(1),
    beside.cpuMicroseconds.toFixed(1),
    mebibytes(stepwell),
    mebibytes(beside),
    String(noisyRounds),
  ];
}

function width(line: readonly string[], index: number): number {
  return line[index]?.length ?? 0;
}

function ratioOf({ median, lowest, highest }: Spread): string {
  return `${median.toFixed(2)} (${lowest.toFixed(2)}-${highest.toFixed(2)})`;
}

function goalOf({ case: { goal, rateGoal }, ratio, stepwell }: Result): string {
  const reached: string[] = [];
  if (goal !== null) reached.push(`${goal} ${ratio.median >= goal ? 'met' : 'missed'}`);
  if (rateGoal !== undefined) {
    const verdict = stepwell.rate.median >= rateGoal ? 'met' : 'missed';
    reached.push(`${whole(rateGoal)}/s ${verdict}`);
  }
  return reached.join(', ');
}

function bytesOf({ bytesEach }: Case, { rate }: Performance): string {
  return bytesEach === undefined ? '' : `, ${((rate.median * bytesEach) / 1e6).toFixed(1)} MB`;
}

function verdictOf(figure: Figure): string {
  const { goal } = figure;
  if (goal === null) return '';
  const text = 'atMost' in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`;
  return `${text} ${meets(figure) ? 'met' : 'missed'}`;
}

function latencyOf({ latency }: Performance): string {
  return latency === null ? '' : `${latency.p50.toFixed(2)} / ${latency.p99.toFixed(2)}`;
}

function mebibytes({ residentBytes }: Performance): string {
  return (residentBytes / 1024 ** 2).toFixed(0);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function rounded(value: number): string {
  return Math.abs(value) < 100 ? value.toFixed(2) : whole(value);
}
