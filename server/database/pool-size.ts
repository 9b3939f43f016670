/** How many connections a service's pool opens at most, without the setting DATABASE_POOL_MAX. */
export const DEFAULT_POOL_MAX = 10;
