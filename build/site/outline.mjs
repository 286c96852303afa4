/**
 * The pages of the site in the order of the sidebar. Each document of the repository is listed at
 * most once, by its path.
 */

const plain = (text, paths) => ({ text, paths });
const folded = (text, paths) => ({ text, paths, collapsed: true });

/**
 * The sections of the sidebar; the title of a page is its first heading, unless one is given here.
 */
export const outline = [
  plain('Start here', [
    ['docs/start.md', 'Where to begin'],
    ['README.md', 'Overview'],
    'docs/walk.md',
    'docs/console.md',
    'examples/README.md',
  ]),
  plain('Messages', [
    ['docs/messaging.md', 'Concepts'],
    ['docs/recipes/messages.md', 'Recipes'],
    ['docs/recipes/llm.md', 'Limits for language models'],
    ['docs/protocol/messaging.md', 'Protocol'],
  ]),
  plain('Workflows', [
    ['docs/workflows.md', 'Concepts'],
    ['docs/recipes/workflows.md', 'Recipes'],
    ['docs/protocol/workflows.md', 'Protocol'],
  ]),
  plain('Topics', [
    ['docs/topics.md', 'Concepts'],
    ['docs/recipes/topics.md', 'Recipes'],
    ['docs/protocol/topics.md', 'Protocol'],
  ]),
  plain('Operation', [
    ['deploy/README.md', 'Deploying'],
    'docs/configuration.md',
    ['docs/operations.md', 'Sizing, backups, exit codes'],
    'docs/cluster.md',
    'docs/kafka-commit-log.md',
    'docs/metrics.md',
    'docs/observability.md',
    'docs/alerts.md',
    'docs/behind-a-proxy.md',
    'docs/security.md',
    'docs/errors.md',
    ['docs/protocol/administration.md', 'Administration on the wire'],
  ]),
  plain('Command line', [
    ['docs/cli.md', 'Commands'],
    ['docs/cli-tour.md', 'Shown'],
    'docs/mcp.md',
  ]),
  plain('Coming from', [
    ['docs/coming-from/hosted-service.md', 'The hosted service'],
    ['docs/coming-from/bullmq.md', 'BullMQ'],
    ['docs/coming-from/kafka-rest.md', 'A Kafka REST proxy'],
    'docs/compatibility.md',
  ]),
  folded('How it is built', [
    'docs/architecture.md',
    'docs/machines.md',
    ['storage/README.md', 'The format on disk'],
    ['bench/README.md', 'The bench'],
    ['bench/cases.md', 'What the bench measures'],
    ['bench/figures.md', 'What the bench has seen'],
    ['bench/results.md', 'Results beside other products'],
    'CONTRIBUTING.md',
    ['SECURITY.md', 'Reporting a weakness'],
    ['CHANGELOG.md', 'Changes'],
  ]),
  folded('Decisions', [['docs/adr/README.md', 'All decisions'], 'docs/adr/*']),
];

/**
 * The place of a document on the site: `docs/topics.md` becomes `topics.md`, `deploy/README.md`
 * becomes `deploy/index.md`. The site has a first page of its own, so the README becomes an
 * overview.
 */
export function placeOf(path) {
  if (path === 'README.md') return 'overview.md';
  if (path === 'SECURITY.md') return 'reporting.md';
  return path
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.md')
    .toLowerCase();
}
