// The whole page is a function of the last view that the terminal sent.
const titles = {
  idle: 'Welcome',
  presentCard: 'Present card',
  processing: 'Processing',
  approved: 'Approved',
  declined: 'Declined',
  error: 'Error',
  offline: 'Terminal is starting',
};

function draw({ scene, amount = '', currency = '', hint = '' }) {
  const known = Object.hasOwn(titles, scene) ? scene : 'offline';
  const grouped = amount.replace(/\d(?=(?:\d{3})+(?:\.|$))/g, '$&,');
  document.body.dataset.scene = known;
  document.body.style.setProperty('--characters', String(grouped.length));
  document.getElementById('currency').textContent = currency;
  document.getElementById('amount').textContent = grouped;
  document.getElementById('title').textContent = titles[known];
  document.getElementById('hint').textContent = hint;
}

function watch() {
  const events = new EventSource('events');
  events.addEventListener('message', ({ data }) => draw(JSON.parse(data)));
  events.addEventListener('error', () => {
    // Nothing old may stand here until the terminal is back.
    draw({ scene: 'offline' });
    // The browser reconnects by itself, but not after an answer that was no event stream.
    if (events.readyState === EventSource.CLOSED) setTimeout(watch, 2000);
  });
}

draw({ scene: 'offline' });
watch();
