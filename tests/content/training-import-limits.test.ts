import { describe, expect, it } from '@jest/globals';
import {
  fitFile,
  fitMessages,
  tcxOf,
  type FitMessage,
  type PlannedActivity,
} from './import-files/activity-files.ts';
import { trainingLog, type Person } from './training-support.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const { platform, register, rest } = trainingLog();

const TYPES = {
  csv: 'text/csv',
  fit: 'application/vnd.ant.fit',
  tcx: 'application/vnd.garmin.tcx+xml',
} as const;
const send = (who: Person, type: keyof typeof TYPES, body: string | Buffer) =>
  platform().rest('content', 'POST', '/trainings/import', {
    token: who.token,
    body,
    headers: { 'content-type': TYPES[type] },
  });

const START = Date.parse('2026-03-01T10:00:00Z') / 1_000;
const activity = (laps: number): PlannedActivity => ({
  start: START,
  sport: 'running',
  laps: Array.from({ length: laps }, (_unused, index) => ({
    after: index * 100,
    millis: 100_000,
    centimeters: 30_000,
  })),
});
const MIB = 1024 * 1024;

describe('a file of an activity', () => {
  it('is read with its sets, their exercises and the rests after them, if it has sets', async () => {
    const ana = await register();
    const time = START - 631_065_600;
    const set = (
      after: number,
      type: number,
      reps: number,
      kilograms: number,
      category: number,
    ): FitMessage => ({
      number: 225,
      fields: [
        [254, 0x86, time + after],
        [0, 0x86, 30_000],
        [3, 0x84, reps],
        [4, 0x84, kilograms * 16],
        [5, 0x02, type],
        [6, 0x86, time + after],
        [7, 0x84, Buffer.from([category, 0, 0xff, 0xff])],
        [8, 0x84, Buffer.from([1, 0, 0xff, 0xff])],
      ],
    });
    const title = Buffer.from('Moon Bench\0');
    const [session] = fitMessages([activity(1)]).slice(-1);
    const file = fitFile([
      {
        number: 264,
        fields: [
          [0, 0x84, 0],
          [1, 0x84, 1],
          [2, 0x07, title],
        ],
      },
      set(0, 1, 8, 60, 0),
      set(30, 0, 0xffff, 0, 0),
      set(60, 1, 6, 62.5, 0),
      set(90, 1, 5, 0, 22),
      session as FitMessage,
    ]);
    expect(await send(ana, 'fit', file)).toMatchObject({
      status: 200,
      body: { lines: 4, imported: 4, failed: 0, trainings: 1 },
    });
    const { body } = await rest(ana, 'GET', '/trainings');
    expect(body).toMatchObject([
      {
        title: 'Outdoor Run',
        startedAt: '2026-03-01T10:00:00.000Z',
        volumeKg: 855,
        entries: [
          {
            sets: [
              { reps: 8, weightKg: 60, restSeconds: 30 },
              { reps: 6, weightKg: 62.5, restSeconds: null },
            ],
          },
          { sets: [{ reps: 5, weightKg: null }] },
        ],
      },
    ]);
    expect((await send(ana, 'fit', file)).body).toMatchObject({ imported: 0, duplicates: 4 });
  });

  it.each([
    [
      'a document type',
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><TrainingCenterDatabase>&x;</TrainingCenterDatabase>',
    ],
    [
      'entities of entities',
      `<!DOCTYPE a [<!ENTITY a "aaaa">${Array.from({ length: 9 }, (_unused, index) => `<!ENTITY a${index} "${'&a;'.repeat(9)}">`).join('')}]><a>&a8;</a>`,
    ],
    ['an unknown entity', tcxOf([activity(1)]).replace('Watch', '&watch;')],
    ['an open element', tcxOf([activity(1)]).slice(0, -60)],
    ['other XML', '<svg><path/></svg>'],
    ['no laps', '<TrainingCenterDatabase><Activities/></TrainingCenterDatabase>'],
    ['deep nesting', '<TrainingCenterDatabase>'.repeat(100_000)],
    [
      'many attributes',
      `<TrainingCenterDatabase ${Array.from({ length: 1_000 }, (_unused, index) => `a${index}=""`).join(' ')}/>`,
    ],
  ])('as TCX is refused with the line of the error: %s', async (_name, text) => {
    const answer = await send(await register(), 'tcx', text);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(JSON.stringify(answer.body)).toMatch(/line \d+:/);
    expect(JSON.stringify(answer.body)).not.toContain('root:');
  });

  it('as TCX has errors for laps with an impossible duration or beginning, with the line of the lap', async () => {
    const ana = await register();
    const text = tcxOf([activity(4)])
      .replace('<TotalTimeSeconds>100<', '<TotalTimeSeconds>NaN<')
      .replace('<DistanceMeters>300<', '<DistanceMeters>-1<')
      .replace('StartTime="2026-03-01T10:03:20.000Z"', 'StartTime="2099-01-01T00:00:00Z"');
    const { status, body } = await send(ana, 'tcx', text);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        lines: 4,
        imported: 2,
        failed: 2,
        errors: [{ column: 'durationSeconds' }, { column: 'startedAt' }],
      },
    });
    expect(body.errors[0].line).toBe(text.split('\n').findIndex((line) => line.includes('<Lap')) + 1);
  });

  it('as TCX has errors for laps with a duration of more than a day or an impossible distance; other laps are imported', async () => {
    const ana = await register();
    let text = tcxOf([activity(6)]);
    for (const seconds of ['1e13', '1e300', '86401', '1e306'])
      text = text.replace('<TotalTimeSeconds>100<', `<TotalTimeSeconds>${seconds}<`);
    text = text.replace('<DistanceMeters>300<', '<DistanceMeters>1e300<');
    text = text.replace(/(.*)<DistanceMeters>300</s, '$1<DistanceMeters>1e307<');
    expect(await send(ana, 'tcx', text)).toMatchObject({
      status: 200,
      body: {
        lines: 6,
        imported: 1,
        failed: 5,
        errors: [
          ...Array.from({ length: 4 }, () => ({ column: 'durationSeconds' })),
          { column: 'distanceMeters' },
        ],
      },
    });
  });

  it('as TCX may have an unknown sport; an impossible beginning, or a unit of a CSV file, is an error of its line', async () => {
    const ana = await register();
    const named = tcxOf([activity(2)]).replace('"Running"', '"constructor"');
    expect((await send(ana, 'tcx', named)).body).toMatchObject({
      imported: 2,
      failed: 0,
    });
    expect((await rest(ana, 'GET', '/trainings')).body).toMatchObject([{ title: 'Other activity' }]);
    const early = tcxOf([activity(1)]).replaceAll('2026-03-01T', '0000-03-01T');
    expect(await send(ana, 'tcx', early)).toMatchObject({ status: 200, body: { imported: 0, failed: 1 } });
    const unit = 'startedAt,exercise,reps,weight,weight unit\n2026-01-01T10:00:00Z,Squat,5,60,constructor\n';
    expect((await send(ana, 'csv', unit)).body).toMatchObject({
      failed: 1,
      errors: [{ column: 'weightUnit' }],
    });
  });

  it('as FIT may have sessions in any order, and an elapsed time of a wrong type', async () => {
    const ana = await register();
    const days = [3, 0, 2].map((day) => ({ ...activity(day + 1), start: START + day * 86_400 }));
    const messages = fitMessages(days).map(({ number, fields }) => ({
      number,
      // An elapsed time of another type than that of the profile.
      fields: fields.map((field) => (number === 18 && field[0] === 7 ? ([7, 0x02, 1] as const) : field)),
    }));
    expect(await send(ana, 'fit', fitFile(messages))).toMatchObject({
      status: 200,
      body: { imported: 8, failed: 0, trainings: 3 },
    });
    const { body } = await rest(ana, 'GET', '/trainings');
    expect(
      (body as { entries: { sets: unknown[] }[] }[]).map(({ entries }) => entries[0]?.sets.length),
    ).toEqual([4, 3, 1]);
  });

  it('as FIT is refused if its checksum or length is wrong, or if it is empty; a session without a beginning is an error', async () => {
    const ana = await register();
    const file = fitFile(fitMessages([activity(3)]));
    const flipped = Buffer.from(file);
    flipped.writeUInt8(flipped.readUInt8(40) ^ 1, 40);
    const lying = Buffer.from(file);
    lying.writeUInt32LE(0xffffffff, 4);
    const refused = {
      flipped,
      lying,
      cut: file.subarray(0, -1),
      header: file.subarray(0, 14),
      empty: fitFile([]),
    };
    for (const [what, bytes] of Object.entries(refused))
      expect([what, await send(ana, 'fit', bytes)]).toMatchObject([what, { status: 400 }]);
    const withoutTime = fitFile([{ number: 18, fields: [[2, 0x02, 1]] }]);
    expect(await send(ana, 'fit', withoutTime)).toMatchObject({
      status: 200,
      body: { imported: 0, failed: 1 },
    });
    expect((await rest(ana, 'GET', '/trainings')).body).toHaveLength(0);
  });
});

/**
 * Sends other requests while `work` runs. The service runs in this thread, so the thread's processor time is what the service did
 * before it answered. In contrast to the time of a clock, it does not depend on other processes of the machine.
 * @returns the longest processor time in milliseconds that passed before one of them was answered
 */
const longestWaitDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let isOver = false;
  let longest = 0;
  const asking = (async () => {
    while (!isOver) {
      const before = process.threadCpuUsage();
      expect((await fetch(`${platform().url('content')}/health/live`)).status).toBe(200);
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }
  })();
  await work().finally(() => (isOver = true));
  await asking;
  return longest;
};
/** The maximum processor time in milliseconds before another request is answered. */
const MAX_WAIT_MILLIS = Number(process.env.LONGEST_WAIT ?? 5_000);

describe('a large file', () => {
  it('of more than 8 MiB with a track is read, and other requests are answered meanwhile', async () => {
    const ana = await register();
    const text = tcxOf([activity(40)], 2_300);
    expect(text.length).toBeGreaterThan(8 * MIB);
    const record: FitMessage = {
      number: 20,
      fields: [
        [253, 0x86, 1],
        [5, 0x86, 1],
        [6, 0x84, 1],
      ],
    };
    const [first] = fitMessages([activity(1)]);
    const messages = fitMessages([activity(40)]).slice(1);
    // The file is made before the measurement, because the service in this process answers nothing meanwhile.
    const file = fitFile([
      first as FitMessage,
      ...Array.from({ length: 350_000 }, () => record),
      ...messages,
    ]);
    expect(file.length).toBeGreaterThan(8 * MIB);
    const longest = await longestWaitDuring(async () => {
      expect((await send(ana, 'tcx', text)).body).toMatchObject({ lines: 40, imported: 40 });
      expect((await send(ana, 'fit', file)).body).toMatchObject({ lines: 40, duplicates: 40 });
    });
    expect(longest).toBeLessThan(withinOnThisMachine(MAX_WAIT_MILLIS));
  });

  it('with millions of empty messages is refused, and the service continues', async () => {
    const ana = await register();
    const definition = Buffer.from([0x40, 0, 0, 19, 0, 0]);
    const file = fitFile([], false, Buffer.concat([definition, Buffer.alloc(9 * MIB)]));
    expect((await send(ana, 'fit', file)).status).toBe(413);
    expect((await send(ana, 'fit', fitFile(fitMessages([activity(1)])))).body).toMatchObject({ imported: 1 });
  });

  it('with one training of 50,000 sets, or with 100 of 500, takes no quadratic time; one with more lines is refused', async () => {
    const ana = await register();
    const lines = (trainings: number) =>
      [
        'startedAt,exercise,reps,weightKg',
        ...Array.from({ length: 50_000 }, (_unused, index) => {
          const start = new Date(Date.UTC(2026, 0, 1) - (index % trainings) * 86_400_000).toISOString();
          return `${start},Barbell Bench Press,${(index % 20) + 1},60`;
        }),
      ].join('\n');
    const [one, hundred] = [lines(1), lines(100)];
    const longest = await longestWaitDuring(async () => {
      expect((await send(ana, 'csv', one)).body).toMatchObject({ imported: 500, failed: 49_500 });
      const before = performance.now();
      expect((await send(ana, 'csv', hundred)).body).toMatchObject({
        lines: 50_000,
        failed: expect.any(Number),
      });
      expect(performance.now() - before).toBeLessThan(withinOnThisMachine(60_000));
    });
    expect(longest).toBeLessThan(withinOnThisMachine(MAX_WAIT_MILLIS));
    expect((await send(ana, 'csv', `${one}\n${'x,y,1,1\n'.repeat(10)}`)).status).toBe(413);
  });
});

describe('a file that is made to take long', () => {
  it('as CSV: other requests are answered meanwhile', async () => {
    const ana = await register();
    const rows = Array.from({ length: 640 }, (_unused, index) =>
      index % 2 === 0 ? `2026-01-01,Squat,1h${' '.repeat(16_300)}x` : `${'1'.repeat(16_300)}x,Squat,1h`,
    );
    const text = ['date,exercise,duration', ...rows].join('\n');
    expect(text.length).toBeLessThan(10 * MIB);
    const longest = await longestWaitDuring(async () => {
      expect((await send(ana, 'csv', text)).body).toMatchObject({ lines: 640, failed: 640 });
    });
    expect(longest).toBeLessThan(withinOnThisMachine(MAX_WAIT_MILLIS));
  });

  it('as CSV with quotes that stay open over many lines: other requests are answered meanwhile', async () => {
    const ana = await register();
    const row = `x${'","'.repeat(50)}y`;
    const longest = await longestWaitDuring(async () => {
      const before = performance.now();
      const { body } = await send(
        ana,
        'csv',
        `startedAt,exercise,reps\n${Array.from({ length: 20_000 }, () => row).join('\n')}`,
      );
      expect(body).toMatchObject({ lines: 20_000, failed: 20_000 });
      expect(performance.now() - before).toBeLessThan(withinOnThisMachine(60_000));
    });
    expect(longest).toBeLessThan(withinOnThisMachine(MAX_WAIT_MILLIS));
  });

  it('as CSV with one training in the future: other requests are answered meanwhile', async () => {
    const ana = await register();
    const rows = Array.from(
      { length: 49_900 },
      (_unused, index) => `2199-01-01T00:00:00Z,Squat,${(index % 20) + 1}`,
    );
    const longest = await longestWaitDuring(async () => {
      const { body } = await send(ana, 'csv', ['startedAt,exercise,reps', ...rows].join('\n'));
      expect(body).toMatchObject({ lines: 49_900, failed: 49_900, errorsOmitted: 48_900 });
    });
    expect(longest).toBeLessThan(withinOnThisMachine(MAX_WAIT_MILLIS));
  });

  it('as TCX: other requests are answered meanwhile', async () => {
    const ana = await register();
    const laps = `<Lap StartTime="${'1'.repeat(200)}"><TotalTimeSeconds>${'1'.repeat(5_999)}x</TotalTimeSeconds></Lap>`;
    const text = `<TrainingCenterDatabase><Activities><Activity Sport="Running"><Id>2026-01-01T10:00:00Z</Id>${laps.repeat(1_600)}</Activity></Activities></TrainingCenterDatabase>`;
    const longest = await longestWaitDuring(async () => {
      expect((await send(ana, 'tcx', text)).body).toMatchObject({ lines: 1_600, failed: 1_600 });
    });
    expect(longest).toBeLessThan(withinOnThisMachine(MAX_WAIT_MILLIS));
  });

  it('as FIT: other files are read meanwhile', async () => {
    const ana = await register();
    const file = (sessions: number, laps: number) =>
      fitFile([], false, Buffer.concat([startsOf(18, sessions), startsOf(19, laps)]));
    const honest = fitFile(fitMessages([activity(1)]));
    const hostile = [1, 2, 3].map(() => send(ana, 'fit', file(80_000, 80_000)));
    const before = performance.now();
    expect((await send(ana, 'fit', honest)).body).toMatchObject({ imported: 1 });
    for (const answer of await Promise.all(hostile)) expect(answer).toMatchObject({ status: 413 });
    expect(performance.now() - before).toBeLessThan(withinOnThisMachine(MAX_WAIT_MILLIS * 2));
    expect(await send(ana, 'fit', file(1_001, 1))).toMatchObject({ status: 413 });
    expect(await send(ana, 'fit', file(1, 50_001))).toMatchObject({ status: 413 });
  });
});

/** FIT messages with nothing but a beginning, each a second before that of the previous message. */
function startsOf(message: number, count: number): Buffer {
  const data = Buffer.alloc(count * 5);
  for (let index = 0; index < count; index += 1)
    data.writeUInt32LE((message === 18 ? 1_000_000_000 : 900_000_000) - index, index * 5 + 1);
  return Buffer.concat([Buffer.from([0x40, 0, 0, message, 0, 1, 2, 4, 0x86]), data]);
}
