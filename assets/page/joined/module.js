const $variable = (() => {
$taken
$body
return { $given };
})();
