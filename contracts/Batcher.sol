// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CancelBatch, DealKey, DiamondBatch} from "./interfaces/DealTypes.sol";
import {IBatcher} from "./interfaces/IBatcher.sol";
import {IDealFacet} from "./interfaces/IDealFacet.sol";
import {IRegistry} from "./interfaces/IRegistry.sol";
import {Roles} from "./libraries/Roles.sol";

/// @notice Serves many diamonds in one transaction. Holds the operator role; only operators may call it.
/// @dev The caller sets the gas of each part, because prices differ between networks and change. A part that fails is
///      reported and skipped. If a part fails without a reason and had less gas left than its limit, the whole
///      transaction reverts: lack of gas must not look like a failure, and gas estimates stay honest.
contract Batcher is IBatcher {
    /// @dev About three times the measured gas of a read. It bounds the gas of an endless diamond in an `eth_call`.
    uint256 private constant GAS_PER_READ = 100_000;
    uint256 private constant GAS_PER_WORD = 10_000;
    /// @dev A selector and one argument, with room to spare. Every typed error of a diamond fits.
    uint256 private constant MAX_REASON = 64;

    IRegistry private immutable roles;

    modifier onlyOperator() {
        (bool isOperator,) = roles.roleState(Roles.OPERATOR, msg.sender);
        if (!isOperator) revert NotOperator(msg.sender);
        _;
    }

    /// @param registry_ The registry whose operators may call.
    constructor(address registry_) {
        roles = IRegistry(registry_);
    }

    /// @inheritdoc IBatcher
    function registry() external view returns (address) {
        return address(roles);
    }

    /// @inheritdoc IBatcher
    function createDeals(DiamondBatch[] calldata batches) external onlyOperator returns (bytes[] memory failures) {
        failures = new bytes[](batches.length);
        for (uint256 i; i < batches.length; ++i) {
            DealKey[] calldata deals = batches[i].deals;
            bytes memory data = abi.encodeCall(IDealFacet.createDeals, (deals));
            failures[i] = callPart(batches[i].diamond, batches[i].gasLimit, data);
        }
    }

    /// @inheritdoc IBatcher
    function cancelDeals(CancelBatch[] calldata batches) external onlyOperator returns (bytes[] memory failures) {
        failures = new bytes[](batches.length);
        for (uint256 i; i < batches.length; ++i) {
            uint256[] calldata dealIds = batches[i].dealIds;
            bytes memory data = abi.encodeCall(IDealFacet.cancelDeals, (dealIds));
            failures[i] = callPart(batches[i].diamond, batches[i].gasLimit, data);
        }
    }

    /// @inheritdoc IBatcher
    function dealWords(address[] calldata diamonds, uint256[][] calldata dealIds)
        external
        view
        returns (bytes32[][] memory words)
    {
        if (diamonds.length != dealIds.length) revert LengthMismatch(diamonds.length, dealIds.length);
        words = new bytes32[][](diamonds.length);
        for (uint256 i; i < diamonds.length; ++i) {
            words[i] = wordsOf(diamonds[i], dealIds[i]);
        }
    }

    /// @param limit Maximum gas of the part.
    /// @return reason Revert reason; empty for success.
    function callPart(address diamond, uint256 limit, bytes memory data) private returns (bytes memory reason) {
        // A call to an address without code succeeds.
        if (diamond.code.length == 0) {
            return failed(diamond, abi.encodeWithSelector(NotDiamond.selector, diamond));
        }
        bool isShort = isShortOf(limit);
        bool ok;
        uint256 size;
        uint256 used;
        assembly ("memory-safe") {
            used := gas()
            ok := call(limit, diamond, 0, add(data, 0x20), mload(data), 0x00, 0x00)
            used := sub(used, gas())
            size := returndatasize()
        }
        if (ok) return reason;
        if (size == 0) {
            if (isShort) revert InsufficientGas(diamond);
            // The diamond calls its facet, and the facet calls the registry. Each caller keeps a 64th (EIP-150), which
            // is left when the innermost call has burnt all of its gas. Gas for new state (EIP-8037) changes nothing: a
            // call that runs out has burnt all that GAS shows, and the registry is called before any deal is stored, so
            // no state gas is refunded with it.
            bytes4 selector = used >= limit - limit / 32 ? OutOfGas.selector : NoReason.selector;
            return failed(diamond, abi.encodeWithSelector(selector, diamond));
        }
        if (size > MAX_REASON) size = MAX_REASON;
        reason = new bytes(size);
        assembly ("memory-safe") {
            returndatacopy(add(reason, 0x20), 0x00, size)
        }
        return failed(diamond, reason);
    }

    function failed(address diamond, bytes memory reason) private returns (bytes memory) {
        emit BatchFailed(diamond, reason);
        return reason;
    }

    /// @dev A call gets at most 63/64 of the gas left (EIP-150). The second 64th pays for the instructions between this
    ///      check and the call.
    function isShortOf(uint256 limit) private view returns (bool) {
        return gasleft() - gasleft() / 32 < limit;
    }

    /// @dev Anything but a list of this many words is no answer. It must not pass for unknown deals.
    function wordsOf(address diamond, uint256[] calldata dealIds) private view returns (bytes32[] memory words) {
        uint256 count = dealIds.length;
        if (diamond.code.length == 0) return new bytes32[](count);
        bytes memory data = abi.encodeCall(IDealFacet.dealWords, (dealIds));
        uint256 limit = GAS_PER_READ + count * GAS_PER_WORD;
        bool isShort = isShortOf(limit);
        bool ok;
        uint256 size;
        assembly ("memory-safe") {
            ok := staticcall(limit, diamond, add(data, 0x20), mload(data), 0x00, 0x40)
            size := returndatasize()
            ok := and(ok, eq(size, add(0x40, mul(count, 0x20))))
            ok := and(ok, and(eq(mload(0x00), 0x20), eq(mload(0x20), count)))
        }
        if (!ok) {
            if (isShort && size == 0) revert InsufficientGas(diamond);
            return words;
        }
        words = new bytes32[](count);
        assembly ("memory-safe") {
            returndatacopy(add(words, 0x20), 0x40, mul(count, 0x20))
        }
    }
}
