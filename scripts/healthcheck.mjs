/**
 * Checks a running server's readiness: exit code 0 or 1, for the container's health check.
 * HEALTH_URL is its URL; default: the gateway in the same container.
 */
const url = process.env.HEALTH_URL || 'http://127.0.0.1:4000/health/ready';

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  console.log(response.status, await response.text());
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.error(`${url} does not answer: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
