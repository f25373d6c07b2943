// The doctor's report and its progress.
import { expect, test } from 'vitest';
import type { Checkup } from '../../../doctor/checkup.ts';
import { expected, fatal, notice, setting, unknown } from '../../../doctor/finding.ts';
import { progressOn } from '../../../doctor/progress.ts';
import { reportOf } from '../../../doctor/report.ts';

const works: Checkup = {
  verdict: 'works with settings',
  settings: { UPSTREAM_URL: 'https://accounts.example', UPSTREAM_PAGE_BASE: '1' },
  findings: [
    expected('caller'),
    setting('page-base', 'page=0 is refused', { UPSTREAM_PAGE_BASE: '1' }),
    notice('ties', 'one row', 'it cannot be given', 'sort by id'),
    unknown('order', 'no rows'),
    expected('gateway'),
  ],
  read: 'the profile',
  durationsMs: [5.2, 3, 1],
};

test('a report starts with the verdict and the settings, and explains what has a consequence', () => {
  expect(reportOf(works).split('\n')).toEqual([
    'The service works with these settings:',
    '',
    'UPSTREAM_URL=https://accounts.example',
    'UPSTREAM_PAGE_BASE=1',
    '',
    'Why these settings:',
    '  page-base: page=0 is refused',
    '',
    'What clients will notice:',
    '  ties: one row',
    '    here:  it cannot be given',
    '    there: sort by id',
    '',
    'Not determined:',
    '  order: no rows',
    '',
    'As expected:',
    '  caller, gateway',
    '',
    'With these settings, the gateway has read the profile.',
    '3 answers of the service, 3 ms at the median, 5 ms at most.',
  ]);
});

test('a report says first why the service cannot work, and recommends no settings then', () => {
  const findings = [fatal('caller', 'the token has expired', 'get another one')];
  const report = reportOf({
    ...works,
    verdict: 'cannot work',
    findings,
    read: null,
    durationsMs: [],
  });
  expect(report.split('\n')).toEqual([
    'The service cannot work, because:',
    '  caller: the token has expired',
    '    there: get another one',
  ]);
});

test('progress overwrites one line of a terminal, and writes nothing elsewhere', () => {
  const lines: string[] = [];
  const write = (text: string) => lines.push(text) > 0;
  const terminal = progressOn({ isTTY: true, write });
  terminal.show('the profile', 2);
  terminal.clear();
  expect(lines).toEqual(['\r\x1b[KExamining the profile: 2 answers so far', '\r\x1b[K']);
  const file = progressOn({ isTTY: false, write });
  file.show('the profile', 2);
  file.clear();
  expect(lines).toHaveLength(2);
});
