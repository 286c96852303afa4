import type { MessagePublished } from '../../../src/messaging/messages/message.events.js';
import {
  liftPublishedToVersion2,
  liftPublishedToVersion3,
} from '../../../src/messaging/messages/message.upcasters.js';
import { messageOptions } from '../../support/message-options.js';

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
    run,
    ...version1
  } = known;
  const liftPublished = (fields: typeof version1) =>
    liftPublishedToVersion3(liftPublishedToVersion2(fields));

  it('is read without a callback, redaction, caller IP or workflow run', () => {
    expect(liftPublished(version1)).toEqual(known);
  });

  it('lacks no field of a current message', () => {
    expect(Object.keys(liftPublished(version1)).sort()).toEqual(Object.keys(known).sort());
  });
});
