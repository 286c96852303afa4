/**
 * `llms.txt` and `llms-full.txt`: the documents for programs that read text. The first lists each
 * page with a sentence; the second contains all pages in one file.
 */

/**
 * A Markdown index of the pages, below the name and description of the product; `base` defaults to
 * `/`.
 */
export function indexOf(sections, description, base = '/') {
  const rows = sections.map(({ text, pages }) => {
    const links = pages.map(({ heading, place, text: page }) => {
      const sentence = firstSentenceOf(page);
      return `- [${heading}](${base}${place})${sentence === '' ? '' : `: ${sentence}`}`;
    });
    return `## ${text}\n\n${links.join('\n')}\n`;
  });
  const all = `All pages in one file: [llms-full.txt](${base}llms-full.txt).`;
  return `# Stepwell\n\n> ${description}\n\n${all}\n\n${rows.join('\n')}`;
}

/** The text of all pages, each below its address. Decisions are left out. */
export function fullOf(sections) {
  const pages = sections.flatMap((section) => section.pages);
  const read = pages.filter(({ path }) => !/^docs\/adr\/\d/.test(path));
  return read.map(({ place, text }) => `<!-- /${place} -->\n\n${text}`).join('\n\n');
}

/** The first sentence of a page, as plain text; empty if the page begins with a table or code. */
export function firstSentenceOf(text) {
  const [, below = ''] = text.split(/^# .+$/m, 2);
  const [first = ''] = below.replace(/^\n+/, '').split(/\n\s*\n/);
  if (/^(?:[|#\-!<]|```| {4})/.test(first)) return '';
  const plain = first
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*/g, '');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}
