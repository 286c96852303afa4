/** Finds the current destinations of a subscription's messages. */
import { Injectable } from '@nestjs/common';
import { type MessageTargets, messageTargets } from '../../messaging/url-groups/message-targets.js';
import { UrlGroups } from '../../messaging/url-groups/url-group.entity.js';
import type { SubscriptionDefinition } from './subscription.events.js';

/**
 * Looked up for each push, because the endpoints of a URL group may change, and the group may be
 * deleted.
 */
@Injectable()
export class SubscriptionTargets {
  constructor(private readonly groups: UrlGroups) {}

  /** Refused if the URL group does not exist or has no endpoints. */
  of({ url, groupName }: Pick<SubscriptionDefinition, 'url' | 'groupName'>): MessageTargets {
    return messageTargets(url, groupName, (name) => this.groups.find(name)?.state ?? undefined);
  }
}
