import type { MikroORM } from '@mikro-orm/postgresql';

/** Removes what nobody can use any more. */
export async function purge(orm: MikroORM): Promise<void> {
  const em = orm.em.fork();
  await em.execute('delete from login_session where expires_at < now()');
  // A used token is remembered as long as it could have lived, so that its reuse is noticed.
  await em.execute(`delete from refresh_token where used_at < now() - interval '30 days'`);
  await em.execute('delete from ended_session where refused_until < now()');
  await em.execute(`delete from login_failures where updated_at < now() - interval '1 hour'`);
  await em.execute(`delete from password_reset where requested_at < now() - interval '8 days'`);
}
