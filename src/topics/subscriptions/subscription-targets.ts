/** Where the messages of a subscription go now. */
import { Injectable } from '@nestjs/common';
import { type MessageTargets, messageTargets } from '../../messaging/url-groups/message-targets.js';
import { UrlGroups } from '../../messaging/url-groups/url-group.entity.js';
import type { SubscriptionDefinition } from './subscription.events.js';

/** Looked up for each push: a URL group has the endpoints of now, and may be gone. */
@Injectable()
export class SubscriptionTargets {
  constructor(private readonly groups: UrlGroups) {}

  /** Refused where the group is not there, or has no endpoints. */
  of({ url, groupName }: Pick<SubscriptionDefinition, 'url' | 'groupName'>): MessageTargets {
    return messageTargets(url, groupName, (name) => this.groups.find(name)?.state ?? undefined);
  }
}
