// The whole page is a function of the last view that the terminal sent.
const scenes = {
  idle: { title: 'Welcome', mark: '' },
  presentCard: { title: 'Present card', mark: ')))' },
  processing: { title: 'Processing', mark: '' },
  approved: { title: 'Approved', mark: '✓' },
  declined: { title: 'Declined', mark: '✕' },
  error: { title: 'Error', mark: '!' },
  offline: { title: 'Terminal is starting', mark: '…' },
};

function draw({ scene, amount, currency, hint }) {
  const { title, mark } = scenes[scene] ?? scenes.offline;
  document.body.dataset.scene = scene;
  document.getElementById('amount').textContent = amount ? `${currency} ${amount}` : '';
  document.getElementById('mark').textContent = mark;
  document.getElementById('title').textContent = title;
  document.getElementById('hint').textContent = hint ?? '';
}

draw({ scene: 'offline' });
const events = new EventSource('events');
events.addEventListener('message', ({ data }) => draw(JSON.parse(data)));
// The browser reconnects by itself; until then nothing old may stand here.
events.addEventListener('error', () => draw({ scene: 'offline' }));
