/**
 * Generates the page of all error texts: grouped by status or exit code, with what to do about it.
 */
import { errorTexts } from './error-texts.mjs';

/** In the order of the page: code, how it is answered, what it means, what to do. */
const kinds = [
  ['invalid', '400', 'A value is malformed or unknown.', 'Correct the request.'],
  ['unauthorized', '401', 'No valid credential.', 'Send the token, or the user name and password.'],
  [
    'forbidden',
    '403',
    'The credential does not permit it.',
    'Use one with the right: [the rights of each credential](security.md#rights-of-each-credential).',
  ],
  [
    'not_found',
    '404',
    'The request names something that does not exist.',
    'Check the name in the listing.',
  ],
  ['wrong_method', '405', 'The path does not have this method.', '`Allow` lists its methods.'],
  ['timed_out', '408', 'The request came too slowly.', 'Send it again.'],
  [
    'conflict',
    '409',
    'The request conflicts with the current state.',
    'Check the state, then decide.',
  ],
  ['over_limit', '412', 'A valid value above a limit of the server.', 'Ask for less.'],
  ['too_large', '413', 'The body, a record or an answer is too large.', 'Send less at once.'],
  ['too_long', '414', 'The URL is too long.', 'Send it in the body or in headers.'],
  [
    'out_of_range',
    '416',
    'The partition does not have this offset.',
    'Read from one of the named offsets.',
  ],
  [
    'unprocessable',
    '422',
    'The request is valid, but cannot be carried out or answered here.',
    'The text says what is missing.',
  ],
  ['too_often', '429', 'Too many failed attempts.', 'Wait as long as `Retry-After` says.'],
  ['head_too_large', '431', 'The headers are too large.', 'Send less in headers.'],
  [
    'failed',
    '500',
    'The server could not do it.',
    'Damage: [topics](topics.md#damage). Everything else is a defect: the log of the server has it.',
  ],
  [
    'unavailable',
    '503',
    'The server is overloaded, starting, stopping or read-only.',
    'Retry after `Retry-After`; `/health/ready` says why.',
  ],
  [
    'disk_full',
    '507',
    'The disk is full.',
    'Free space: [a full disk](configuration.md#a-full-disk).',
  ],
  [
    'attempt',
    'attempt',
    'A destination is not called.',
    'See [networks](configuration.md#networks); `stepwell doctor <url>` checks a URL.',
  ],
  ...[
    [1, 'A command failed.'],
    [64, 'The configuration or the command line is wrong.'],
    [65, 'The data is damaged, or of a later version.'],
    [66, 'A command names something that does not exist.'],
    [69, 'A requirement is missing, or no server answers.'],
    [73, 'The target exists already.'],
    [74, 'The disk failed.'],
    [75, 'The folder or the port is in use.'],
    [77, 'The credential of a command lacks the right.'],
  ].map(([code, meaning]) => [
    `exit ${code}`,
    `exit code ${code}`,
    meaning,
    '[What to do](operations.md#stopping-and-exit-codes).',
  ]),
  ['other', 'other', 'Texts with several statuses or exit codes.', 'The text says what is wrong.'],
];

const areas = [
  ['src/messaging/', 'messages'],
  ['src/workflows/', 'workflows'],
  ['src/topics/', 'topics'],
  ['src/server/configuration/', 'settings'],
  ['src/cli/', 'command line'],
  ['storage/', 'log'],
  ['src/grammar/', 'values'],
  ['', 'server'],
];

const head = `# Every error

This page lists all error texts of clients, commands and logs, and what to do about them. \`npm run docs:made\` generates it
from the sources; search for a part of your error text.

- \`…\` stands for a part that is only known at run time: a name, a number, a longer text.
- A text that begins in the middle of a sentence (\`must be a whole number\`) follows the name of a header, a field or
  a setting.
- Over HTTP, the text is the \`error\` of a JSON body, in the format of [messages](protocol/messaging.md#12-errors) or of
  [topics](protocol/topics.md#12-shapes). A command prints it after \`stepwell: \`.
- The answer of a destination, or the reason why a connection to it failed, is in the log of the message.
`;

/** The page, from the sources in the repository at `root`. */
export function errorsPage(root) {
  const texts = errorTexts(root).map((each) => ({ ...each, code: shownCode(each) }));
  const sections = kinds.flatMap(([code, shown, meaning, remedy]) => {
    const rows = rowsOf(texts.filter((each) => each.code === code));
    if (rows.length === 0) return [];
    const table = ['| text | of |', '| --- | --- |', ...rows].join('\n');
    return [`## ${titleOf(shown)}\n\n${meaning} ${remedy}\n\n${table}\n`];
  });
  const unknown = texts.filter(({ code }) => !kinds.some(([known]) => known === code));
  if (unknown.length > 0) throw new Error(`no section for ${unknown[0].code}: ${unknown[0].path}`);
  return [head, ...sections].join('\n');
}

/** Errors in settings end a start with exit code 64, whatever their code in the sources. */
function shownCode({ code, path }) {
  return path.startsWith('src/server/configuration/') ? 'exit 64' : code;
}

function titleOf(shown) {
  if (shown === 'attempt') return 'A failed attempt';
  if (shown === 'other') return 'Errors of several kinds';
  return /^\d/.test(shown) ? `Status ${shown}` : `E${shown.slice(1)}`;
}

function rowsOf(texts) {
  const rows = texts.map(({ text, path }) => {
    const [, area] = areas.find(([folder]) => path.startsWith(folder));
    return `| ${quoted(text)} | ${area} |`;
  });
  return [...new Set(rows)].sort();
}

/** As Markdown code; a bar would end the table cell. */
function quoted(text) {
  return `\`${text.replaceAll('`', "'").replaceAll('|', '\\|').replaceAll('\n', ' ')}\``;
}
