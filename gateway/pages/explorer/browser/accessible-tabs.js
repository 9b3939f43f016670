// GraphiQL's tabs are list items with the role "tab" that contain buttons, which screen readers cannot reach: a tab may not
// contain anything interactive. This makes them a list of buttons, of which one is the current one.

/** Corrects the tabs below `root`, also those that GraphiQL adds or changes later. */
export function correctTabs(root) {
  const correct = () => {
    for (const list of root.querySelectorAll('.graphiql-tabs[role]')) list.removeAttribute('role');
    for (const tab of root.querySelectorAll('.graphiql-tab[role], .graphiql-tab[aria-selected]')) {
      const button = tab.querySelector('.graphiql-tab-button');
      button?.removeAttribute('aria-controls');
      button?.setAttribute('aria-current', tab.getAttribute('aria-selected') ?? 'false');
      tab.removeAttribute('role');
      tab.removeAttribute('aria-selected');
    }
  };
  new MutationObserver(correct).observe(root, {
    childList: true,
    subtree: true,
    attributeFilter: ['role', 'aria-selected'],
  });
  correct();
}
