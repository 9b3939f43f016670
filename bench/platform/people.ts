const PASSWORD = 'demo-password-1';
const DEMO_GYM = '01900000-0000-7000-8000-000000000001';

export interface Member {
  readonly token: string;
  readonly qrCode: string;
}

/** Sends a POST to the platform. @throws Error for another status than 2xx */
export async function post(
  url: string,
  token: string | undefined,
  body: object,
): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: jsonHeaders(token),
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

export const jsonHeaders = (token?: string): Record<string, string> => ({
  'content-type': 'application/json',
  ...(token && { authorization: `Bearer ${token}` }),
});

/** The access token of an account, by default with the password of the demo accounts. @param url the platform's gateway */
export async function login(url: string, email: string, password = PASSWORD): Promise<string> {
  return (await post(`${url}/identity/auth/login`, undefined, { email, password })).token ?? '';
}

/** Registers members of a demo gym, each with a food log of 200 entries. @param url the platform's gateway */
export async function newMembers(url: string, count: number): Promise<Member[]> {
  const members = await Promise.all(Array.from({ length: count }, (_, index) => newMember(url, index)));
  await Promise.all(members.map(({ token }) => logMeals(url, token)));
  return members;
}

async function newMember(url: string, index: number): Promise<Member> {
  const account = {
    email: `bench-${index}@example.test`,
    password: 'a-long-password-1',
    displayName: 'Bench',
  };
  await post(`${url}/identity/auth/register`, undefined, { ...account, gymId: DEMO_GYM });
  const token = await login(url, account.email, account.password);
  const me = await fetch(`${url}/identity/users/me`, { headers: { authorization: `Bearer ${token}` } });
  return { token, qrCode: ((await me.json()) as { qrCode: string }).qrCode };
}

/** The day that was so many days ago, such as `2026-01-31`. */
export const dayBefore = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

async function logMeals(url: string, token: string): Promise<void> {
  for (let part = 0; part < 10; part += 1)
    await post(`${url}/nutrition/log`, token, {
      entries: Array.from({ length: 20 }, (_, index) => ({
        foodName: `Oatmeal ${part}-${index}`,
        calories: 158,
        protein: 5.5,
        carbs: 27,
        fats: 3.2,
      })),
    });
}

/** Five trainings a week for some years, with two exercises each. @param url the platform's gateway */
export async function logTrainings(url: string, token: string, now: number, years = 1): Promise<void> {
  for (let year = 0; year < years; year += 1) await logYear(url, token, now - year * 364 * 86_400_000);
}

async function logYear(url: string, token: string, now: number): Promise<void> {
  const lines = Array.from({ length: 52 * 5 }, (_, index) => {
    const start = now - Math.round(((index + 1) * 7 * 86_400_000) / 5);
    const times = [start, start + 3_600_000].map((time) => new Date(time).toISOString()).join(',');
    return ['Barbell Bench Press', 'Barbell Deadlift'].flatMap((exercise) =>
      [8, 7, 6].map((reps) => `${times},Training,${exercise},${reps},${60 + reps}`),
    );
  });
  const response = await fetch(`${url}/content/trainings/import?timezone=UTC`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: ['startedAt,endedAt,title,exercise,reps,weightKg', ...lines.flat()].join('\n'),
  });
  if (!response.ok) throw new Error(`the import of trainings: ${response.status} ${await response.text()}`);
}

/** A location of the demo gym that is large enough for all members. @param url the platform's gateway */
export async function newLocation(url: string, staff: string, name: string): Promise<string> {
  return (await post(`${url}/gym/locations`, staff, { name, timezone: 'UTC', capacity: 10_000 })).id ?? '';
}
