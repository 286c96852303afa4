/**
 * Generates the page of all error texts: grouped by status or exit code, with what to do about it.
 */
import { errorTexts } from './error-texts.mjs';

/** In the order of the page: code, how it is answered, what it means, what to do. */
const kinds = [
  ['invalid', '400', 'A value cannot be read, or is not known.', 'Mend the request.'],
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
    'What the request names is not there.',
    'Look at the listing; mind the name.',
  ],
  ['wrong_method', '405', 'The path has no such method.', '`Allow` names those that it has.'],
  ['timed_out', '408', 'The request came too slowly.', 'Send it again.'],
  ['conflict', '409', 'It contradicts the present state.', 'Look at the state, then decide.'],
  ['over_limit', '412', 'A readable value above what the server grants.', 'Ask for less.'],
  ['too_large', '413', 'The body, a record or an answer is too large.', 'Send less at once.'],
  ['too_long', '414', 'The URL is too long.', 'Send it in the body or in headers.'],
  [
    'out_of_range',
    '416',
    'An offset that the partition does not hold.',
    'Read from one of the named.',
  ],
  [
    'unprocessable',
    '422',
    'It can be read, but cannot be done or answered here.',
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
    'The server has no room, starts, stops or changes nothing.',
    'Ask again after `Retry-After`; `/health/ready` says why.',
  ],
  [
    'disk_full',
    '507',
    'The disk has no room.',
    'Make room: [a full disk](configuration.md#a-full-disk).',
  ],
  [
    'attempt',
    'attempt',
    'A destination is not called.',
    'Look at [networks](configuration.md#networks); `stepwell doctor <url>` judges a URL.',
  ],
  ...[
    [1, 'A command failed.'],
    [64, 'The configuration or the command line is wrong.'],
    [65, 'The data is damaged, or of a later version.'],
    [66, 'What a command names is not there.'],
    [69, 'Something that is needed is missing, or no server answers.'],
    [73, 'What was to be made is there already.'],
    [74, 'The disk failed.'],
    [75, 'The folder or the port is in use.'],
    [77, 'The credential of a command has not the right.'],
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

What a client, a command or a log may say, and what to do about it. \`npm run docs:made\` makes this page from the
sources; look for a part of the text that you have.

- \`…\` stands for what is only known when it happens: a name, a number, a longer text.
- A text that begins in the middle of a sentence (\`must be a whole number\`) follows the name of what was read: a
  header, a field, a setting.
- Over HTTP it is the \`error\` of a JSON body, in the shape of [messages](protocol/messaging.md#12-errors) or of
  [topics](protocol/topics.md#12-shapes). A command prints it behind \`stepwell: \`.
- What a destination answered, and why a connection to it broke, are in the logs of its message, in its own words.
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
