(() => {
"use strict";
$script
})();
