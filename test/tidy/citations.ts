/**
 * What comments and documents cite must be there: a section (`messaging.md 2.1`), a decision
 * (`ADR 17`), a heading (`storage/README.md "Damage"`), a file behind a link.
 */
import { dirname, join } from 'node:path';
import type { SourceFile } from './source-tree.js';

/** What can be cited. */
export interface Citable {
  /** `docs/protocol/messaging.md` to the numbers of its sections: `2`, `2.1`. */
  readonly sections: ReadonlyMap<string, ReadonlySet<string>>;
  /** Numbers of decisions: `17` for `docs/adr/0017-...`. */
  readonly decisions: ReadonlySet<string>;
  /** Every document to its headings, as they are written. */
  readonly headings: ReadonlyMap<string, readonly string[]>;
  readonly exists: (path: string) => boolean;
}

const protocol = 'docs/protocol/';
const numbered = /^#{2,} (\d+(?:\.\d+)*)\.? /gm;

/** Reads from the documents what can be cited. */
export function citableIn(
  documents: readonly SourceFile[],
  exists: (path: string) => boolean,
): Citable {
  const pages = documents.filter(({ path }) => path.startsWith(protocol));
  return {
    sections: new Map(
      pages.map(({ path, text }) => [path, new Set(groupsOf(text, numbered))] as const),
    ),
    decisions: new Set(documents.flatMap(({ path }) => groupsOf(path, /^docs\/adr\/0*(\d+)-/g))),
    headings: new Map(
      documents.map(({ path, text }) => [path, groupsOf(text, /^#+ (.+)$/gm)] as const),
    ),
    exists,
  };
}

/** One number or several: `2.1, 2.2 and 7`; between two words, lines may break. */
const numbers = String.raw`\d+(?:\.\d+)*(?:(?:, and|,| and| to) +\d+(?:\.\d+)*)*`;

interface CitationRule {
  readonly pattern: RegExp;
  readonly applies: (path: string) => boolean;
  /** Whether a match of the pattern in the file at `path` leads somewhere. */
  readonly holds: (groups: readonly string[], path: string, citable: Citable) => boolean;
  readonly instead: string;
}

const anywhere = () => true;
const inDocument = (path: string) => path.endsWith('.md');

const rules: readonly CitationRule[] = [
  {
    pattern: /\bdecisions? +\d+|\bspec: |\b(?:messaging|log) +protocol\b|\breliability \d/gi,
    applies: anywhere,
    holds: () => false,
    instead: 'a section of docs/protocol, an ADR, or the reason itself',
  },
  {
    pattern: new RegExp(String.raw`\b(messaging|workflows|topics)\.md +(${numbers})`, 'g'),
    applies: anywhere,
    holds: ([page, cited = ''], _path, { sections }) =>
      hasAll(sections.get(`${protocol}${page}.md`), cited),
    instead: 'a section of docs/protocol',
  },
  {
    pattern: /\((\d{1,2}(?:\.\d+)?)\)/g,
    applies: (path) => path.startsWith(protocol),
    holds: ([cited = ''], path, { sections }) => hasAll(sections.get(path), cited),
    instead: 'a section of the same page',
  },
  {
    pattern: / \(\d{1,2}\.\d{1,2}\)/g,
    applies: (path) => !inDocument(path),
    holds: () => false,
    instead: 'the name of the page before the number',
  },
  {
    pattern: new RegExp(String.raw`\bADRs? +(${numbers})`, 'g'),
    applies: anywhere,
    holds: ([cited = ''], _path, { decisions }) => hasAll(decisions, cited.replaceAll(/\b0+/g, '')),
    instead: 'a decision of docs/adr',
  },
  {
    pattern: /([\w/.-]+\.md) +"([^"]+)"/g,
    applies: anywhere,
    holds: ([path = '', cited = ''], _path, { headings }) =>
      headings.get(path)?.includes(cited.replaceAll(/ +/g, ' ')) === true,
    instead: 'the path of a document from the root, and a heading of it',
  },
  {
    pattern: /\]\((?!\w+:)([^)\s]+)\)/g,
    applies: inDocument,
    holds: ([target = ''], path, citable) => leadsSomewhere(target, path, citable),
    instead: 'a file, or a heading of it',
  },
];

/** Every citation that leads nowhere, one line each. */
export function citationViolations(files: readonly SourceFile[], citable: Citable): string[] {
  return files
    .filter(({ path }) => !path.startsWith('test/tidy/'))
    .flatMap((file) =>
      rules
        .filter(({ applies }) => applies(file.path))
        .flatMap((rule) => brokenIn(file, rule, citable)),
    );
}

function brokenIn({ path, text }: SourceFile, rule: CitationRule, citable: Citable): string[] {
  return [...joined(text).matchAll(rule.pattern)]
    .filter(([, ...groups]) => !rule.holds(groups, path, citable))
    .map(({ 0: cited, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${path}:${line}: ${cited} leads nowhere; use ${rule.instead}`;
    });
}

/** The text as one line of the same length, so that a citation may stand on two lines. */
function joined(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/)?/g, (gap) => ' '.repeat(gap.length));
}

function hasAll(known: ReadonlySet<string> | undefined, cited: string): boolean {
  return groupsOf(cited, /(\d+(?:\.\d+)*)/g).every((number) => known?.has(number) === true);
}

/** A path from the folder of the document, and perhaps an anchor there. */
function leadsSomewhere(target: string, from: string, { headings, exists }: Citable): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!exists(path)) return false;
  return (
    anchor === undefined || headings.get(path)?.some((text) => anchorOf(text) === anchor) === true
  );
}

/** The anchor that a heading gets where Markdown is shown. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function groupsOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}
