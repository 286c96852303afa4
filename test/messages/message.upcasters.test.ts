import type { MessagePublished } from '../../src/messages/message.events.js';
import { liftPublished } from '../../src/messages/message.upcasters.js';
import { messageOptions } from '../support/message-options.js';

describe('a message of version 1', () => {
  const known: MessagePublished = {
    ...messageOptions({ labels: ['blue'] }),
    type: 'MessagePublished',
  };
  const {
    bodyOffset,
    redaction,
    callback,
    failureCallback,
    callbackOf,
    queueName,
    topicName,
    endpointName,
    scheduleId,
    ...version1
  } = known;

  it('reads as one that calls nobody, hides nothing and came from nowhere', () => {
    expect(liftPublished(version1)).toEqual(known);
  });

  it('lacks nothing that a message of today has', () => {
    expect(Object.keys(liftPublished(version1)).sort()).toEqual(Object.keys(known).sort());
  });
});
