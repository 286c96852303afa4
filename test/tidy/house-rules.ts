/** The laws that a line of code can break, each with what to do instead. */
import { commentsOf, type SourceFile, testNamesOf, withoutComments } from './source-tree.js';

const fileLinesMax = 300;
const lineLengthMax = 100;

/**
 * The formatter breaks no import of one name, however long its path is, and no text: the classes of
 * an element, which stand alone in their line.
 */
const unbreakable = /^(import|\}) .*from '|className=|^\s*(const \w+ = )?["'`{][^*]*$/;

interface LineRule {
  readonly pattern: RegExp;
  readonly applies: (path: string) => boolean;
  readonly instead: string;
}

const inProduct = (path: string) => path.startsWith('src/') || path.startsWith('storage/');
const inProductExcept =
  (...allowed: readonly string[]) =>
  (path: string) =>
    inProduct(path) && !allowed.includes(path);

/** What pages of the console know the time by. */
const pagesClock = 'src/console/web/time/clock.ts';

/** Skips there are: with strace, promtool, Go, PostgreSQL, brokers, a shell, a disk, a browser. */
const needed = ['strace', 'small-file-system', 'promtool', 'chart', 'shells', 'postgres'];
const skipping = needed.join('|');
const skippers = `cluster/mock-brokers/mock-brokers|support/(program/(${skipping})|console/chromium)`;
const maySkip = new RegExp(`^test/(tidy/|(${skippers})\\.ts$)`);

/** Patterns that only one file (or none) may contain. */
export const lineRules: readonly LineRule[] = [
  {
    pattern: /\bDate\.now\(|new Date\(\)|\bperformance\.now\(/,
    // How long a call of the file system has taken is an affair of the disk.
    applies: inProductExcept('src/engine/clock.ts', pagesClock, 'storage/disk/node-disk.ts'),
    instead: 'the Clock of src/engine/clock.ts, or the clock of the console',
  },
  {
    pattern: /\bMath\.random\(|\brandomUUID\b|\brandomBytes\b.*'node:crypto'/,
    applies: inProductExcept('src/engine/identifiers.ts'),
    instead: 'the Identifiers of src/engine/identifiers.ts',
  },
  {
    // A socket itself measures how long it is silent.
    pattern: /(?<!\bsocket\.)\bset(Timeout|Interval)\(/,
    applies: inProductExcept('src/engine/clock.ts', pagesClock),
    instead: 'Clock.after of src/engine/clock.ts, or `after` of the clock of the console',
  },
  {
    pattern: /\bprocess\.env\b/,
    applies: inProductExcept(
      'src/server/configuration/config.ts',
      'src/cli/connect/client-environment.ts',
    ),
    instead: 'a field of Config, or of ClientEnvironment',
  },
  {
    pattern: /'(node:)?fs(\/promises)?'/,
    // A path that a person names may be a link or a pipe; those of a store are neither.
    applies: inProductExcept(
      'storage/disk/node-disk.ts',
      'src/cli/connect/given-body.ts',
      'src/server/configuration/within.ts',
    ),
    instead: 'the Disk of storage/disk/disk.ts',
  },
  {
    pattern: /'(node:)?child_process'|'fs-native-extensions'/,
    applies: inProductExcept('storage/disk/file-lock.ts'),
    instead: 'Disk.lock',
  },
  { pattern: /(?<!\/)\bconsole\./, applies: inProduct, instead: 'the pino logger' },
  {
    pattern: /:\s*any\b|<any>|\bas any\b|@ts-(ignore|expect-error|nocheck)/,
    applies: inProduct,
    instead: 'a type',
  },
  {
    pattern: /\bas unknown as\b/,
    applies: inProductExcept('src/engine/machines/machine-evolve.ts'),
    instead: 'a type that needs no cast',
  },
  {
    pattern: /\bnew \w+Exception\(/,
    applies: inProduct,
    instead: 'a Refusal, which src/http/outcome.ts throws',
  },
  { pattern: /\bforwardRef\b/, applies: inProduct, instead: 'a vocabulary file' },
  { pattern: /^export \* /, applies: () => true, instead: 'an import of the file itself' },
  {
    pattern: /\b(FIXME|TODO|XXX)\b/,
    applies: (path) => !path.startsWith('test/tidy/'),
    instead: 'the work itself, or an issue',
  },
  {
    pattern:
      /\b(invoke|spawn|after|entry|exit|raise|sendTo|emit|log|history|fromPromise|Date)\s*[:(]/,
    applies: (path) => path.endsWith('.machine.ts') && !path.startsWith('src/engine/lifecycle/'),
    instead: 'an effect in the decider: a restored machine runs none of these',
  },
  {
    pattern: /\b(it|describe|test)\.(only|skip)\b/,
    applies: (path) => path.startsWith('test/') && !maySkip.test(path),
    instead: 'a test that runs, or none',
  },
];

/** Words that leave open which part of the program a sentence speaks of. */
export const vagueWords = [
  'whoever',
  'nobody',
  'somebody',
  'everybody',
  'anybody',
  'everyone',
  'anyone',
  'someone',
  'whom',
  'whomever',
] as const;
const vagueSubjects = new RegExp(`\\b(${vagueWords.join('|')})\\b`, 'i');

/** Pictures in sentences, in whose place stands what is done: sent, answered, distinguished. */
export const pictureWords = ['told', 'wish', 'wishes', 'desk', 'shelf', 'shelves'] as const;
const pictures = new RegExp(`\\b(${pictureWords.join('|')})\\b`, 'i');

/** Words that say nothing, as parts of file names. */
const emptyWords =
  'utils?|helpers?|common|manager|handler|task|data|info|misc|lib|types|interfaces';
const bannedInFileNames = new RegExp(`(^|/)index\\.|(^|[/.-])(${emptyWords})(?=[.-])`);

const wrongCase = /[A-Z_]/;

/** Exported names that begin or end with a word that the project does not use. */
const exportKeywords = '(?:abstract )?(?:async )?(?:class|function|const|interface|type)';
const emptySuffixes = 'Manager|Helper|Util|Utils|Handler|Task';
/** Pictures for parts of the program, in whose place a word of the field stands. */
const metaphors = 'Desk|Floor|Ground|Shelf|Crowd|Occasion|Asked|Told|Wish';
const emptyNames = `(?:handle|process|do)[A-Z]\\w*|\\w*(?:${emptySuffixes}|${metaphors})`;
const bannedExport = new RegExp(`^export ${exportKeywords} (${emptyNames})\\b`);

function lineViolations(file: SourceFile): string[] {
  const code = withoutComments(file.text).split('\n');
  return code.flatMap((line, index) => {
    const place = `${file.path}:${index + 1}`;
    const broken = lineRules
      .filter((rule) => rule.applies(file.path) && rule.pattern.test(line))
      .map((rule) => `${place}: ${line.trim()}; use ${rule.instead}`);
    const exported = inProduct(file.path) ? bannedExport.exec(line)?.[1] : undefined;
    if (exported !== undefined) {
      broken.push(`${place}: ${exported} names nothing; use the word of the thing`);
    }
    const written = file.lines[index] ?? '';
    if (written.length > lineLengthMax && !unbreakable.test(written)) {
      broken.push(`${place}: longer than ${lineLengthMax} columns; break it`);
    }
    return broken;
  });
}

function fileViolations(file: SourceFile): string[] {
  const broken: string[] = [];
  if (inProduct(file.path) && file.lines.length > fileLinesMax) {
    broken.push(`${file.path}: ${file.lines.length} lines; split it by noun (${fileLinesMax})`);
  }
  if (bannedInFileNames.test(file.path)) {
    broken.push(`${file.path}: the name says nothing; use the noun that it holds`);
  }
  if (wrongCase.test(file.path)) broken.push(`${file.path}: use kebab-case`);
  if (inProduct(file.path) && !/^(#!.*\n)?\/(\*\*|\/)/.test(file.text)) {
    broken.push(`${file.path}: begin with a sentence on its place in the program`);
  }
  return broken;
}

function proseViolations(file: SourceFile): string[] {
  return [...commentsOf(file), ...testNamesOf(file)].flatMap(({ line, text }) => {
    const place = `${file.path}:${line}: ${text}`;
    const subject = vagueSubjects.exec(text)?.[0];
    const picture = pictures.exec(text)?.[0];
    return [
      ...(subject ? [`${place}; instead of "${subject}" name the client, the reader, ...`] : []),
      ...(picture ? [`${place}; instead of "${picture}" say: sent, answered, reported, ...`] : []),
    ];
  });
}

/** Lines of documents with pictures, one each; decisions are kept as they were written. */
export function pictureViolations(documents: readonly SourceFile[]): string[] {
  return documents.flatMap(({ path, lines }) =>
    path.startsWith('docs/adr/')
      ? []
      : lines.flatMap((line, index) =>
          pictures.test(line) ? [`${path}:${index + 1}: ${line}`] : [],
        ),
  );
}

/** Every broken house rule, one line each. */
export function houseViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [
    ...fileViolations(file),
    ...lineViolations(file),
    ...proseViolations(file),
  ]);
}

/** Deciders and machines without a mirror test, and deciders whose laws no test checks. */
export function untestedDeciders(files: readonly SourceFile[]): string[] {
  const paths = new Set(files.map((file) => file.path));
  const mirrors = files.flatMap(({ path }) => {
    const [, place, role] = /^src\/(.*\.(decider|machine))\.ts$/.exec(path) ?? [];
    if (place === undefined) return [];
    const mirror = `test/${place}.test.ts`;
    // The engine's own decider records the sweeps that the laws of all others are tried on.
    const hasLaws = role === 'decider' && !place.startsWith('engine/');
    return hasLaws ? [mirror, `test/${place}.laws.test.ts`] : [mirror];
  });
  return mirrors
    .filter((mirror) => !paths.has(mirror))
    .map((mirror) => `${mirror}: missing; every decider has a mirror test and a test of its laws`);
}
