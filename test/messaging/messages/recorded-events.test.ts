import { messageTerms } from '../../../src/messaging/messages/recorded-events.js';
import { messageOptions } from '../../support/message-options.js';
import { runPlace } from '../../support/workflows/run-place.js';

const workflow = 'https://example.com/workflow';

describe('a message of a run', () => {
  it('is found by its run and among the messages of any run', () => {
    const terms = messageTerms(messageOptions({ url: workflow, run: runPlace() }));
    expect(terms).toEqual([`url:${workflow}`, 'run:wfr_1', 'any-run']);
  });

  it('is found by its workflow if it goes to a third party', () => {
    const url = 'https://third.example/';
    const terms = messageTerms(messageOptions({ url, run: runPlace({ role: 'call' }) }));
    expect(terms).toEqual([`url:${url}`, 'run:wfr_1', 'any-run', `url:${workflow}`]);
  });
});
