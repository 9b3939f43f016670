// The lamps in the picture of the system.

/** Shows whether a service answers. */
export function showHealth(name, isUp) {
  const node = document.querySelector(`.system [data-node="${name}"]`);
  if (node) node.dataset.state = isUp ? 'up' : 'down';
}
