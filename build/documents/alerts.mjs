/**
 * Generates the page with every alert and what to do about it, from the rules that Prometheus
 * loads.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const head = `# Alerts

What each alert of [deploy/prometheus/alerts.yaml](../deploy/prometheus/alerts.yaml) means, and what to do first.
\`npm run docs:made\` makes this page from the rules. **page** wakes a person, **warn** waits for the morning.
[Metrics](metrics.md) has every metric that they ask; [the board](../deploy/README.md) shows them.
`;

/** The page, from the rules in the repository at `root`. */
export function alertsPage(root) {
  const text = readFileSync(join(root, 'deploy', 'prometheus', 'alerts.yaml'), 'utf8');
  const sections = text.split('- alert: ').slice(1).map(sectionOf);
  return [head, ...sections].join('\n');
}

function sectionOf(rule) {
  const name = rule.split('\n', 1)[0].trim();
  const field = (key) => new RegExp(`^\\s+${key}: (.*)$`, 'm').exec(rule)?.[1]?.trim();
  const severity = /severity: (\w+)/.exec(rule)?.[1];
  const [expr, summary, action] = ['expr', 'summary', 'action'].map(field);
  if (!severity || !expr || !summary || !action) throw new Error(`the rule ${name} lacks a field`);
  const since = field('for') === undefined ? '' : `, for ${field('for')}`;
  return [
    `## ${name}`,
    '',
    `**${severity}**${since}. ${plain(summary)}.`,
    '',
    linked(plain(action)),
    '',
    `\`${expr}\``,
    '',
  ].join('\n');
}

/** The text without the quotes of YAML. */
function plain(text) {
  return text.replace(/^(['"])(.*)\1$/, '$2');
}

/** `docs/operations.md, "Sizing"` becomes a link to that heading. */
function linked(text) {
  return text.replace(/docs\/([\w/-]+\.md)(?:, "([^"]+)")?/g, (_all, page, heading) => {
    if (heading === undefined) return `[${page}](${page})`;
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    return `[${heading.toLowerCase()}](${page}#${anchor})`;
  });
}
