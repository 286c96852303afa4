import { bodyWords } from '../../../src/console/web/bodies/body-words.ts';

it('a command for a body sends text itself, and other bodies from a file', () => {
  expect(bodyWords({ body: "it's" }, true)).toEqual(["--data-raw 'it'\\''s'"]);
  expect(bodyWords({ body: 'é'.repeat(60_000) }, true)).toEqual(['--data-binary @body.txt']);
  expect(bodyWords({ body: 'REDACTED:00' }, true)).toEqual(['--data-binary @body.txt']);
  expect(bodyWords({ bodyBase64: '/w==' }, true)).toEqual(['--data-binary @body.bin']);
  expect(bodyWords({}, true)).toEqual(['-X POST']);
});

it('a command for a body has no control characters, which its terminal would act on', () => {
  for (const control of ['\0', '\r', '\u001b[201~', '\u007f', '\u009b']) {
    expect(bodyWords({ body: `a${control}b` }, true)).toEqual(['--data-binary @body.txt']);
  }
  expect(bodyWords({ body: '{\n\t1}' }, true)).toEqual(["--data-raw '{\n\t1}'"]);
});

it('a command for a body keeps curl from sending the content type of a form', () => {
  expect(bodyWords({ body: 'x' }, false)).toEqual(["-H 'Content-Type:'", "--data-raw 'x'"]);
  expect(bodyWords({ body: '' }, false)).toEqual(['-X POST']);
});
