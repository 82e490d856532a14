// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey} from "./DealTypes.sol";

/// @notice Deals of one merchant wallet: created and cancelled by operators, paid by buyers, straight to the payee.
/// @dev A deal is one storage word: the upper 248 bits of its terms hash and a status byte
///      (0 none, 1 open, 2 paid, 3 cancelled). A tombstone (cancelled before it was created) is the bare status byte 3.
interface IDealFacet {
    event DealCreated(uint256 indexed dealId, bytes32 indexed termsHash);
    event DealPaid(
        uint256 indexed dealId,
        bytes32 indexed termsHash,
        address indexed payer,
        address token,
        address payee,
        uint256 amount
    );
    /// @dev `word` is the deal's new word: its terms with status 3, or the bare 3 of a tombstone.
    event DealCancelled(uint256 indexed dealId, bytes32 word);
    /// @dev `word` is what the id holds, `termsHash` what was asked for; nothing was changed.
    event DealConflict(uint256 indexed dealId, bytes32 word, bytes32 termsHash);
    event Swept(address indexed token, address indexed to, uint256 amount);

    error NotOperator(address caller);
    error NotRoot(address caller);
    error Paused();
    error DealNotOpen(uint256 dealId, bytes32 word);
    error TermsMismatch(uint256 dealId, bytes32 word, bytes32 termsHash);
    error DealExpired(uint256 dealId, uint256 expiresAt, uint256 timestamp);
    error NotPayer(address caller, address payer);
    error WrongToken(address token);
    error InvalidPayee(address payee);
    error InvalidAmount(uint256 amount);
    error WrongValue(uint256 value, uint256 amount);
    error InexactTransfer(uint256 received, uint256 amount);
    error NativeTransferFailed(address payee);

    /// @notice Puts deals on the chain. Operators only, not while paused.
    /// @dev The same terms again change nothing, a cancelled id stays cancelled silently, an id with other terms is
    ///      skipped with `DealConflict`; one item never spoils the others.
    function createDeals(DealKey[] calldata deals) external;

    /// @notice Cancels open deals and leaves tombstones at unknown ids. Operators only, also while paused.
    /// @dev Paid and cancelled deals are skipped silently.
    function cancelDeals(uint256[] calldata dealIds) external;

    /// @notice Pays with a token: pulls `amount` from the caller by allowance, straight to the payee.
    function payToken(Deal calldata deal) external;

    /// @notice Pays with the native coin: `msg.value` must be exactly `amount`.
    function payNative(Deal calldata deal) external payable;

    /// @notice Like `payToken`, after trying the caller's EIP-2612 permit over `amount`; a failing permit is ignored.
    function payTokenWithPermit(Deal calldata deal, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;

    /// @notice The word of a deal; zero for an unknown id.
    function dealWord(uint256 dealId) external view returns (bytes32);

    /// @notice The words of many deals, in the order asked.
    function dealWords(uint256[] calldata dealIds) external view returns (bytes32[] memory);

    /// @notice EIP-712 digest of the terms; domain: name "Carat", version "1", this chain, this diamond.
    function termsHash(Deal calldata deal) external view returns (bytes32);

    /// @notice The registry that created this diamond and keeps its roles.
    function registry() external view returns (address);

    /// @notice Root frees what strangers sent to the diamond: all of a token, or (zero) of the native coin.
    function sweep(address token, address to) external;
}
