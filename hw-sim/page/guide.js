import { $, onPress, show } from './element.js';

/** The usual ports: of another simulator's terminal nobody here knows them. */
const [simulatorPort, apiPort, screenPort] = ['8090', '8080', '8081'];
const stored = 'poid-guide';

export function startGuide() {
  const usual = location.port === simulatorPort;
  const link = $('#screen-link');
  if (usual) link.href = `${location.protocol}//127.0.0.1:${screenPort}`;
  link.hidden = !usual;
  $('#other-port').hidden = usual;
  show($('#curl'), curlLine());
  onPress($('#copy'), async (button) => {
    await navigator.clipboard.writeText(curlLine());
    show(button, 'Copied');
  });
  $('#guide-done').addEventListener('click', () => showGuide(false));
  $('#guide-again').addEventListener('click', () => showGuide(true));
  showGuide(localStorage.getItem(stored) !== 'done');
}

function showGuide(on) {
  $('#guide').hidden = !on;
  $('#guide-again').hidden = on;
  if (on) localStorage.removeItem(stored);
  else localStorage.setItem(stored, 'done');
}

function curlLine() {
  const body = `{"posId":"POS-1","messageId":"'$(date +%s%N)'","transactionType":"SALE","requestAmount":30,"currency":"HKD"}`;
  const url = `${location.protocol}//127.0.0.1:${apiPort}/sp/v1/payment`;
  return `curl -s ${url} -H 'Content-Type: application/json' -d '${body}'`;
}
