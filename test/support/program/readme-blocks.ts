/** The examples of README.md and of the documents that go on from it, as a reader runs them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block: ```` ```<language> <title> ````. */
export interface ReadmeBlock {
  /** `sh`, `js`, or nothing. */
  readonly language: string;
  /** The file that the block is, or the terminal that it keeps; '' = a block that ends. */
  readonly title: string;
  readonly text: string;
}

/** A command of a block, and the text that the comment below says it prints; '' = nothing. */
export interface Step {
  readonly command: string;
  readonly promised: string;
}

const fence = /^```(\w*) ?(\S*)\n([\s\S]*?)^```$/gm;

/** The blocks of a document, from the first to the last; its path is from the root. */
export function readmeBlocks(document: string): ReadmeBlock[] {
  const text = readFileSync(join(import.meta.dirname, '../../..', document), 'utf8');
  return [...text.matchAll(fence)].map(([, language = '', title = '', content = '']) => ({
    language,
    title,
    text: content,
  }));
}

/**
 * The commands of a shell block in order. A line that ends with a backslash, or within quotes, goes
 * on. A comment below a command is what it prints, one above is for people.
 */
export function stepsOf(text: string): Step[] {
  const steps: { command: string; promised: string }[] = [];
  let command = '';
  for (const line of text.split('\n')) {
    const last = steps.at(-1);
    if (command === '' && line.startsWith('# ')) {
      if (last !== undefined && /^# (?=[[{]|data: |paid )/.test(line))
        last.promised = line.slice(2);
      continue;
    }
    command += `${line}\n`;
    const isOpen = line.endsWith('\\') || (command.match(/'/g)?.length ?? 0) % 2 === 1;
    if (isOpen || command.trim() === '') {
      if (!isOpen) command = '';
      continue;
    }
    steps.push({ command: command.trim(), promised: '' });
    command = '';
  }
  return steps;
}

/** What a promise allows: `...` is anything. */
export function promise(promised: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(promised.split('...').map(literal).join('[^]*?'));
}
