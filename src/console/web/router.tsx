/**
 * The addresses of the console, below `/console`. Each page is loaded when it is first opened, and
 * its filters are parameters that its route parses.
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { readFilters } from './parts/filter-bar.tsx';
import { Failure } from './parts/states.tsx';
import { Missing } from './shell/missing.tsx';
import { Shell } from './shell/shell.tsx';

/**
 * In place of a page that failed. The router remembers that a script was not loaded, so that only a
 * reload loads it again.
 */
function FailedPage({ error }: { readonly error: unknown }) {
  const reason = error instanceof Error ? error.message : String(error);
  const shown = new Error(`This page could not be shown: ${reason}`);
  return <Failure error={shown} retry={() => location.reload()} />;
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: Missing,
  errorComponent: FailedPage,
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx')),
});

const messages = createRoute({
  getParentRoute: () => root,
  path: '/messages',
  validateSearch: readFilters(
    ...['state', 'label', 'url', 'queueName', 'flowControlKey'],
    ...['contains', 'fromDate', 'toDate', 'span'],
  ),
  component: lazyRouteComponent(() => import('./messages/messages-page.tsx')),
});

const message = createRoute({
  getParentRoute: () => root,
  path: '/messages/$id',
  validateSearch: readFilters('asOf'),
  component: lazyRouteComponent(() => import('./message/message-page.tsx')),
});

const workflows = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  validateSearch: readFilters('state', 'label', 'url', 'id'),
  component: lazyRouteComponent(() => import('./workflows/workflows-page.tsx')),
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$id',
  validateSearch: readFilters('asOf'),
  component: lazyRouteComponent(() => import('./run/run-page.tsx')),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./schedules/schedules-page.tsx')),
});

const schedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/$id',
  component: lazyRouteComponent(() => import('./schedule/schedule-page.tsx')),
});

const queues = createRoute({
  getParentRoute: () => root,
  path: '/queues',
  validateSearch: readFilters('search'),
  component: lazyRouteComponent(() => import('./queues/queues-page.tsx')),
});

const endpoints = createRoute({
  getParentRoute: () => root,
  path: '/endpoints',
  component: lazyRouteComponent(() => import('./endpoints/endpoints-page.tsx')),
});

const deadLetters = createRoute({
  getParentRoute: () => root,
  path: '/dead-letters',
  validateSearch: readFilters(
    ...['label', 'url', 'queueName', 'responseStatus'],
    ...['host', 'flowControlKey', 'of'],
  ),
  component: lazyRouteComponent(() => import('./dead-letters/dead-letters-page.tsx')),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./jobs/jobs-page.tsx')),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx')),
});

const topics = createRoute({
  getParentRoute: () => root,
  path: '/topics',
  component: lazyRouteComponent(() => import('./topics/topics-page.tsx')),
});

const topic = createRoute({
  getParentRoute: () => root,
  path: '/topics/$id',
  validateSearch: readFilters('from', 'partition', 'key', 'contains'),
  component: lazyRouteComponent(() => import('./topic/topic-page.tsx')),
});

const timeMachine = createRoute({
  getParentRoute: () => root,
  path: '/time-machine',
  validateSearch: readFilters('asOf', 'type', 'stream', 'span', 'before', 'after'),
  component: lazyRouteComponent(() => import('./time-machine/time-machine-page.tsx')),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    messages,
    message,
    workflows,
    run,
    schedules,
    schedule,
    queues,
    endpoints,
    deadLetters,
    jobs,
    topics,
    topic,
    timeMachine,
    settings,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
