// Buttons of the operator's menu.
import { button, element, icon } from './element.js';

/** `action`: its name, where that is not its drawing's. */
export function tile(drawing, label, onPress, action = drawing) {
  return button({ class: 'tile', 'data-action': action }, onPress, icon(drawing), element('span', {}, label));
}

export function footButton(action, drawing, label, onPress) {
  return button({ 'data-action': action }, onPress, icon(drawing), element('span', {}, label));
}

export function leave(words, actions) {
  return footButton('leave', 'cancel', words.desk.leave, actions.leave);
}

export function back(words, actions, onPress = actions.menu) {
  return footButton('back', 'back', words.buttons.back, onPress);
}
