import { headersIn, linesOf, optionsOf } from '../../../src/console/web/publish/options.ts';

const published = {
  method: 'PUT',
  retries: 2,
  label: 'a',
  labels: ['a', 'b'],
  header: {
    'Content-Type': ['text/plain'],
    'X-Order': ['7'],
    'X-Key': ['REDACTED:0c1d'],
    'User-Agent': ['Stepwell'],
  },
  flowControlKey: 'k',
  rate: 5,
  period: 60,
  callback: 'https://example.com/done',
  callbackHeader: { 'X-A': ['1'], 'X-Secret': ['REDACTED:ff'] },
};

describe('the options of a message that is sent again', () => {
  const headers = headersIn(linesOf(optionsOf(published, 'Svc-')));

  it('are those that it was published with', () => {
    expect(headers).toEqual({
      'Content-Type': 'text/plain',
      'Svc-Forward-X-Order': '7',
      'Svc-Method': 'PUT',
      'Svc-Retries': '2',
      'Svc-Label': 'a, b',
      'Svc-Flow-Control-Key': 'k',
      'Svc-Flow-Control-Value': 'rate=5, period=60',
      'Svc-Callback': 'https://example.com/done',
      'Svc-Callback-Forward-X-A': '1',
    });
  });

  it('have no digest in place of a hidden value', () => {
    expect(JSON.stringify(headers)).not.toContain('REDACTED');
  });
});
