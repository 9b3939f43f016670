import { restClient } from '../rest.ts';

/** Logs in, checks the member in at the first location of their gym, and logs their breakfast. */
export async function checkInAndEat(url: string, email: string, password: string) {
  let token = '';
  const api = restClient({ url, token: () => token });
  const { data: session, error } = await api.POST('/identity/auth/login', { body: { email, password } });
  if (error) throw new Error(`${error.code}: ${error.detail}`);
  token = session.token;
  const [location] = (await api.GET('/gym/locations')).data ?? [];
  const { qrCode } = session.user;
  if (!location || !qrCode) throw new Error('Expected a user with a code, whose gym has a location.');
  const visit = await api.POST('/gym/locations/check-in', { body: { qrCode, locationId: location.id } });
  const breakfast = { foodName: 'Oatmeal', calories: 158, protein: 5.5, carbs: 27, fats: 3.2 };
  const meal = await api.POST('/nutrition/log', { body: breakfast });
  return { visit: visit.data, meal: meal.data, token };
}
