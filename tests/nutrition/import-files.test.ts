import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

const importFile = (token: string, file: string | Buffer, query = '') =>
  platform.rest('nutrition', 'POST', `/log/import${query}`, {
    token,
    body: file,
    headers: { 'Content-Type': 'text/csv' },
  });
const entriesOf = async (token: string) =>
  (await platform.rest('nutrition', 'GET', '/history/me?limit=200', { token })).body as {
    foodName: string;
    localDate: string;
    loggedAt: string;
    calories: number;
    protein: number;
    carbs: number;
    fats: number;
    mealType: string | null;
    quantity: number | null;
    unit: string | null;
    grams: number | null;
  }[];

describe('every line of a file is counted', () => {
  const HEADER = 'localDate,foodName,calories\n';
  const dayOf = (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10);

  test('a quote that is not closed makes only its own line of 2,500 fail', async () => {
    const { token } = await platform.register();
    const lines = Array.from({ length: 2_500 }, (_unused, index) =>
      index === 9
        ? `${dayOf(index)},"Rice,200`
        : index % 3 === 0
          ? `${dayOf(index)},"Soup, hot, ""spicy""",120`
          : `${dayOf(index)},Bread,80`,
    );
    const { status, body } = await importFile(token, HEADER + lines.join('\n'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'DONE',
      lines: 2_500,
      imported: 2_499,
      failed: 1,
      errorsOmitted: 0,
    });
    expect(body.errors).toMatchObject([{ line: 11, message: expect.stringMatching(/quote/) }]);
  });

  test('a NUL, an invalid byte and a very long line make only their own lines fail', async () => {
    const { token } = await platform.register();
    const lines = Array.from({ length: 2_500 }, (_unused, index) =>
      Buffer.from(`${dayOf(index)},Crème ${index},80\n`),
    );
    lines[2_100] = Buffer.from(`${dayOf(1)},Ri\0ce,80\n`);
    lines[2_200] = Buffer.concat([
      Buffer.from(`${dayOf(1)},Ri`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from(',80\n'),
    ]);
    lines[2_300] = Buffer.from(`${dayOf(1)},${'x'.repeat(300_000)},80\n`);
    const { status, body } = await importFile(token, Buffer.concat([Buffer.from(HEADER), ...lines]));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'DONE', lines: 2_500, imported: 2_497, failed: 3 });
    expect(
      body.errors.map(({ line, message }: { line: number; message: string }) => [line, message]),
    ).toEqual([
      [2_102, expect.stringMatching(/NUL/)],
      [2_202, expect.stringMatching(/UTF-8/)],
      [2_302, expect.stringMatching(/longer/)],
    ]);
  });

  test('the list of errors is bounded, and the report contains the number of the others', async () => {
    const { token } = await platform.register();
    const { body } = await importFile(token, HEADER + `${dayOf(1)},Rice,none\n`.repeat(1_500));
    expect(body).toMatchObject({ lines: 1_500, failed: 1_500, imported: 0, errorsOmitted: 500 });
    expect(body.errors).toHaveLength(1_000);
  });

  test('a quoted text may contain line breaks; two missing quotes do not join the lines between them', async () => {
    const { token } = await platform.register();
    const file = `${HEADER}2026-01-01,"Soup\nof the day",120\n2026-01-02,"Rice,200\n2026-01-03,Bread,80\n2026-01-04,Bread",90\n`;
    const { body } = await importFile(token, file);
    expect(body).toMatchObject({ lines: 4, imported: 3, failed: 1, errors: [{ line: 4 }] });
    expect((await entriesOf(token)).map(({ foodName }) => foodName).toSorted()).toEqual([
      'Bread',
      'Bread"',
      'Soup\nof the day',
    ]);
  });

  test('lines are counted as in an editor, also a last one without a line break', async () => {
    const { token } = await platform.register();
    for (const end of ['\n', '\r\n', '\r']) {
      const file = [
        'localDate,foodName,calories',
        '2026-01-01,Rice,200',
        '2026-01-01,Rice,none',
        '2026-01-02,"Tea,1',
      ].join(end);
      const { body } = await importFile(token, file);
      expect(body).toMatchObject({ lines: 3, failed: 2, errors: [{ line: 3 }, { line: 4 }] });
    }
  });

  test('a line with more fields than the header is refused, not read into the wrong columns', async () => {
    const { token } = await platform.register();
    const { body } = await importFile(token, `${HEADER}2026-01-01,Rice, white,200\n2026-01-01,Rice,200,,\n`);
    expect(body).toMatchObject({ lines: 2, imported: 1, failed: 1, errors: [{ line: 2, column: null }] });
  });

  test('an implausible line is refused as by POST /log', async () => {
    const { token } = await platform.register();
    const { body } = await importFile(
      token,
      'localDate,foodName,calories,protein,fats,grams\n2026-01-01,Butter,100,,500,\n2026-01-01,Beef,200,500,,10\n',
    );
    expect(body).toMatchObject({
      imported: 0,
      failed: 2,
      errors: [{ column: 'calories' }, { column: 'grams' }],
    });
  });
});

describe('the encoding and format of a file are detected and reported', () => {
  const TEXT = 'localDate,foodName,calories\n2026-01-01,Crème brûlée – süß,300\n2026-01-02,Käse,120\n';
  const utf16 = (text: string, bigEndian: boolean) => {
    const bytes = Buffer.from(text, 'utf16le');
    return bigEndian ? bytes.swap16() : bytes;
  };
  test.each([
    ['UTF_8', Buffer.from(TEXT)],
    ['UTF_8', Buffer.from(`\uFEFF${TEXT}`)],
    ['UTF_16LE', utf16(`\uFEFF${TEXT}`, false)],
    ['UTF_16BE', utf16(`\uFEFF${TEXT}`, true)],
    ['UTF_16LE', utf16(TEXT, false)],
    ['UTF_16BE', utf16(TEXT, true)],
    ['WINDOWS_1252', Buffer.from(TEXT.replace('–', '\x96'), 'latin1')],
  ])('%s', async (encoding, file) => {
    const { token } = await platform.register();
    const { status, body } = await importFile(token, file);
    expect([status, body.format]).toEqual([
      200,
      { encoding, delimiter: 'COMMA', decimal: 'POINT', dateOrder: null },
    ]);
    expect(body).toMatchObject({ lines: 2, imported: 2, failed: 0 });
    expect((await entriesOf(token)).map(({ foodName }) => foodName)).toEqual(['Käse', 'Crème brûlée – süß']);
  });

  test('semicolons, tabs, decimal commas and separators of thousands', async () => {
    const { token } = await platform.register();
    const german =
      'Date;Food;Calories;Protein;Carbs\n31.12.2025;Hafer, fein;1.300,4;10,5;200\n01.01.2026;Reis;200;4,2;44\n';
    expect((await importFile(token, german)).body).toMatchObject({
      imported: 2,
      format: { delimiter: 'SEMICOLON', decimal: 'COMMA', dateOrder: null },
    });
    const tabs = 'date\tfood\tcalories\tprotein\n2026-01-03\tRice, white\t"1,205"\t4.25\n';
    expect((await importFile(token, tabs)).body).toMatchObject({
      imported: 1,
      format: { delimiter: 'TAB', decimal: 'POINT' },
    });
    expect(
      (await entriesOf(token)).map((entry) => [
        entry.localDate,
        entry.foodName,
        entry.calories,
        entry.protein,
      ]),
    ).toEqual([
      ['2026-01-03', 'Rice, white', 1_205, 4.25],
      ['2026-01-01', 'Reis', 200, 4.2],
      ['2025-12-31', 'Hafer, fein', 1_300, 10.5],
    ]);
  });

  test('a day above 12, or else the request, decides between day first and month first; without both the file is refused', async () => {
    const file = (...days: string[]) =>
      `date,food,calories\n${days.map((day) => `${day},Rice,200`).join('\n')}\n`;
    const daysAfter = async (body: string, query = '') => {
      const { token } = await platform.register();
      const answer = await importFile(token, body, query);
      return [
        answer.body.format?.dateOrder ?? answer.body.errors[0].path,
        (await entriesOf(token)).map((entry) => entry.localDate),
      ];
    };
    expect(await daysAfter(file('03/04/2024', '25/04/2024'))).toEqual(['DMY', ['2024-04-25', '2024-04-03']]);
    expect(await daysAfter(file('03/04/2024', '04/25/2024'))).toEqual(['MDY', ['2024-04-25', '2024-03-04']]);
    expect(await daysAfter(file('03/04/2024'), '?dateOrder=DMY')).toEqual(['DMY', ['2024-04-03']]);
    expect(await daysAfter(file('03/04/2024'), '?dateOrder=mdy')).toEqual(['MDY', ['2024-03-04']]);
    expect(await daysAfter(file('03/04/2024', '05/06/2024'))).toEqual(['dateOrder', []]);
    // A weekday and a time belong to neither order.
    expect(await daysAfter(file('Thu 2/1/2024', 'Sat 3/2/2024 10:30'))).toEqual(['dateOrder', []]);
    expect(await daysAfter(file('Fri 1/26/2024', 'Fri 2/2/2024'))).toEqual([
      'MDY',
      ['2024-02-02', '2024-01-26'],
    ]);
  });

  test('a file with as many dates that are day first as month first is refused, unless the request names the order', async () => {
    const { token } = await platform.register();
    const body = 'date,food,calories\n25/04/2024,Rice,200\n04/26/2024,Rice,210\n03/04/2024,Rice,220\n';
    expect(await importFile(token, body)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'dateOrder', message: expect.stringContaining('"25/04/2024" (day first)') }] },
    });
    expect(await entriesOf(token)).toEqual([]);
    const withoutAmbiguous = body.replace('03/04/2024,Rice,220\n', '');
    expect((await importFile(token, withoutAmbiguous)).status).toBe(400);
    expect((await importFile(token, body, '?dateOrder=DMY')).body).toMatchObject({
      imported: 2,
      errors: [{ line: 3, message: expect.stringContaining('read as DMY') }],
    });
  });

  test('an ambiguous date after a thousand dates that need no order is reported, and not guessed', async () => {
    const { token } = await platform.register();
    const first = Array.from({ length: 1_000 }, (_, n) => `2024-01-01,Rice,${n + 1}`).join('\n');
    const { body } = await importFile(
      token,
      `date,food,calories\n${first}\n03/04/2024,Rice,200\n25/04/2024,Rice,200\n04/26/2024,Rice,200\n`,
    );
    expect(body).toMatchObject({
      imported: 1_002,
      format: { dateOrder: null },
      errors: [{ line: 1_002, message: expect.stringContaining('repeat the request with dateOrder') }],
    });
  });

  test('an unknown parameter or value is 400', async () => {
    const { token } = await platform.register();
    expect(await importFile(token, TEXT, '?dateOrder=YDM')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'dateOrder' }] },
    });
    expect(await importFile(token, TEXT, '?seperator=COMMA')).toMatchObject({ status: 400 });
  });
});

describe('exports of other apps', () => {
  test('MyFitnessPal: a line for each meal', async () => {
    const { token } = await platform.register();
    const file =
      'Date,Meal,Calories,Fat (g),Saturated Fat,Cholesterol,Sodium (mg),Carbohydrates (g),Fiber,Sugar,Protein (g),Note\n' +
      '2026-01-05,Breakfast,412.5,12.3,4,30,500,55.1,6,12,18.4,\n2026-01-05,Snacks,"1,150",40,,,,150,,,30,"late, again"\n';
    expect((await importFile(token, file)).body).toMatchObject({ imported: 2, failed: 0 });
    expect(await entriesOf(token)).toMatchObject([
      { foodName: 'Snacks', mealType: 'SNACK', calories: 1_150, fats: 40 },
      { foodName: 'Breakfast', mealType: 'BREAKFAST', calories: 413, protein: 18.4, carbs: 55.1, fats: 12.3 },
    ]);
  });

  test('Cronometer: servings with time, group and amount', async () => {
    const { token } = await platform.register();
    const file =
      'Day,Time,Group,Food Name,Amount,Energy (kcal),Alcohol (g),Carbs (g),Fiber (g),Net Carbs (g),Fat (g),Protein (g),Category\n' +
      '2026-01-05,8:30 AM,Breakfast,"Oats, rolled",40.00 g,151.60,0.00,27.10,4.04,23.06,2.61,5.27,Cereals\n' +
      '2026-01-05,6:05 PM,Dinner,"Milk, whole",1.50 cup,223.00,0.00,17.50,0.00,17.50,11.90,11.50,Dairy\n';
    expect((await importFile(token, file, '?timezone=Europe/Berlin')).body).toMatchObject({
      imported: 2,
      failed: 0,
    });
    expect(await entriesOf(token)).toMatchObject([
      {
        foodName: 'Milk, whole',
        mealType: 'DINNER',
        quantity: 1.5,
        unit: 'cup',
        loggedAt: '2026-01-05T17:05:00.000Z',
      },
      {
        foodName: 'Oats, rolled',
        calories: 152,
        grams: 40,
        carbs: 27.1,
        loggedAt: '2026-01-05T07:30:00.000Z',
      },
    ]);
  });

  test('FatSecret: a title before the header, dates in words', async () => {
    const { token } = await platform.register();
    const file =
      'Food Diary Report\n\nDate,Meal,Food,Cals (kcal),Fat (g),Carbs (g),Prot (g)\n' +
      '"Monday, January 5, 2026",Lunch,Lentil soup,230,0.8,39.9,17.9\n"Tuesday, January 6, 2026",Snacks/Other,Apple,95,0.3,25,-\n';
    expect((await importFile(token, file)).body).toMatchObject({ lines: 2, imported: 2, failed: 0 });
    expect(await entriesOf(token)).toMatchObject([
      { localDate: '2026-01-06', foodName: 'Apple', mealType: 'SNACK', protein: 0 },
      { localDate: '2026-01-05', foodName: 'Lentil soup', mealType: 'LUNCH', calories: 230, protein: 17.9 },
    ]);
  });
});

test('a multipart request is accepted with a file in the field `file`, and is 400 otherwise', async () => {
  const { token } = await platform.register();
  const send = (field: string | undefined) => {
    const form = new FormData();
    if (field)
      form.append(
        field,
        new Blob(['localDate,foodName,calories\n2026-01-01,Rice,200\n'], { type: 'text/csv' }),
        'log.csv',
      );
    else form.append('note', 'nothing');
    return platform.rest('nutrition', 'POST', '/log/import', { token, body: form });
  };
  expect(await send('file')).toMatchObject({ status: 200, body: { imported: 1, failed: 0 } });
  expect(await send('file')).toMatchObject({ status: 200, body: { imported: 0, duplicates: 1 } });
  expect(await send('csv')).toMatchObject({ status: 400 });
  expect(await send(undefined)).toMatchObject({ status: 400 });
});
