/** The pages that the navigation, the shortcuts and the palette lead to, in order. */
import {
  Activity,
  Clock,
  Database,
  History,
  Inbox,
  ListChecks,
  ListOrdered,
  type LucideIcon,
  Send,
  Settings,
  Webhook,
  Workflow,
} from 'lucide-react';

/** One line of the navigation. */
export interface PageLink {
  readonly to: string;
  readonly name: string;
  /** The key that is pressed after `g`. */
  readonly key: string;
  readonly icon: LucideIcon;
}

/** All pages, in the order of the navigation. */
export const pages: readonly PageLink[] = [
  { to: '/', name: 'Overview', key: 'o', icon: Activity },
  { to: '/messages', name: 'Messages', key: 'm', icon: Send },
  { to: '/workflows', name: 'Workflows', key: 'r', icon: Workflow },
  { to: '/schedules', name: 'Schedules', key: 's', icon: Clock },
  { to: '/queues', name: 'Queues & flow', key: 'q', icon: ListOrdered },
  { to: '/endpoints', name: 'Endpoints', key: 'e', icon: Webhook },
  { to: '/dead-letters', name: 'Dead letters', key: 'd', icon: Inbox },
  { to: '/jobs', name: 'Jobs', key: 'j', icon: ListChecks },
  { to: '/topics', name: 'Topics', key: 't', icon: Database },
  { to: '/time-machine', name: 'Time machine', key: 'h', icon: History },
  { to: '/settings', name: 'Settings', key: ',', icon: Settings },
];
