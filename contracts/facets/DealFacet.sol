// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey, DealWord} from "../interfaces/DealTypes.sol";
import {IDealFacet} from "../interfaces/IDealFacet.sol";
import {IFacet} from "../interfaces/IFacet.sol";
import {IRegistry} from "../interfaces/IRegistry.sol";
import {LibDeals} from "../libraries/LibDeals.sol";
import {LibDiamond} from "../libraries/LibDiamond.sol";
import {LibLock} from "../libraries/LibLock.sol";
import {LibPay} from "../libraries/LibPay.sol";
import {LibToken} from "../libraries/LibToken.sol";
import {Roles} from "../libraries/Roles.sol";

/// @notice Deals of one merchant wallet: created and cancelled by operators, paid by buyers, straight to the payee.
/// @dev Every payment follows one order: check, write, emit, then move the money.
/// @custom:version 1.2.0
contract DealFacet is IDealFacet, IFacet {
    using LibDeals for DealWord;

    modifier locked() {
        LibLock.acquire();
        _;
        LibLock.release();
    }

    /// @inheritdoc IDealFacet
    function createDeals(DealKey[] calldata deals) external locked {
        (bool isOperator, bool paused) = registryOf().roleState(Roles.OPERATOR, msg.sender);
        if (!isOperator) revert NotOperator(msg.sender);
        if (paused) revert Paused();

        for (uint256 i; i < deals.length; ++i) {
            uint256 dealId = deals[i].dealId;
            bytes32 terms = deals[i].termsHash;
            DealWord word = LibDeals.read(dealId);
            if (DealWord.unwrap(word) == 0) {
                LibDeals.write(dealId, DealWord.wrap(terms).withStatus(LibDeals.OPEN));
                emit DealCreated(dealId, terms);
            } else if (word.statusOf() != LibDeals.CANCELLED && !word.matches(terms)) {
                emit DealConflict(dealId, DealWord.unwrap(word), terms);
            }
        }
    }

    /// @inheritdoc IDealFacet
    function cancelDeals(uint256[] calldata dealIds) external locked {
        (bool isOperator,) = registryOf().roleState(Roles.OPERATOR, msg.sender);
        if (!isOperator) revert NotOperator(msg.sender);

        for (uint256 i; i < dealIds.length; ++i) {
            DealWord word = LibDeals.read(dealIds[i]);
            uint256 status = word.statusOf();
            if (status == LibDeals.PAID || status == LibDeals.CANCELLED) continue;
            word = word.withStatus(LibDeals.CANCELLED);
            LibDeals.write(dealIds[i], word);
            emit DealCancelled(dealIds[i], DealWord.unwrap(word));
        }
    }

    /// @inheritdoc IDealFacet
    function payToken(Deal calldata deal) external locked {
        LibPay.requireToken(deal);
        settle(deal);
        LibPay.pullToken(deal);
    }

    /// @inheritdoc IDealFacet
    function payTokenWithPermit(Deal calldata deal, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external locked {
        LibPay.requireToken(deal);
        settle(deal);
        LibToken.tryPermit(deal.token, msg.sender, deal.amount, deadline, v, r, s);
        LibPay.pullToken(deal);
    }

    /// @inheritdoc IDealFacet
    function payNative(Deal calldata deal) external payable locked {
        LibPay.requireCoins(deal);
        settle(deal);
        LibPay.sendCoins(deal);
    }

    /// @inheritdoc IDealFacet
    function sweep(address token, address to) external locked {
        if (msg.sender != registryOf().root()) revert NotRoot(msg.sender);
        if (to == address(0) || to == address(this)) revert InvalidPayee(to);
        if (token != address(0)) {
            uint256 amount = LibToken.balanceOf(token, address(this));
            emit Swept(token, to, amount);
            LibToken.transfer(token, to, amount);
        } else {
            uint256 amount = address(this).balance;
            emit Swept(token, to, amount);
            if (!LibToken.sendNative(to, amount)) revert NativeTransferFailed(to);
        }
    }

    /// @inheritdoc IDealFacet
    function dealWords(uint256[] calldata dealIds) external view returns (bytes32[] memory words) {
        words = new bytes32[](dealIds.length);
        for (uint256 i; i < dealIds.length; ++i) {
            words[i] = DealWord.unwrap(LibDeals.read(dealIds[i]));
        }
    }

    /// @inheritdoc IDealFacet
    function termsHash(Deal calldata deal) external view returns (bytes32) {
        return LibDeals.hash(deal);
    }

    /// @inheritdoc IDealFacet
    function registry() external view returns (address) {
        return LibDiamond.store().registry;
    }

    /// @inheritdoc IFacet
    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](9);
        selectors[0] = IDealFacet.createDeals.selector;
        selectors[1] = IDealFacet.cancelDeals.selector;
        selectors[2] = IDealFacet.payToken.selector;
        selectors[3] = IDealFacet.payNative.selector;
        selectors[4] = IDealFacet.payTokenWithPermit.selector;
        selectors[5] = IDealFacet.dealWords.selector;
        selectors[6] = IDealFacet.termsHash.selector;
        selectors[7] = IDealFacet.registry.selector;
        selectors[8] = IDealFacet.sweep.selector;
    }

    /// @inheritdoc IFacet
    function facetName() external pure returns (string memory) {
        return "DealFacet";
    }

    /// @inheritdoc IFacet
    function facetVersion() external pure returns (string memory) {
        return "1.2.0";
    }

    /// @dev Shared by the three ways to pay: the word must be open and made from exactly these terms.
    /// @param deal The terms that the caller wants to pay.
    function settle(Deal calldata deal) private {
        if (registryOf().paused()) revert Paused();
        bytes32 terms = LibDeals.hash(deal);
        DealWord word = LibDeals.read(deal.dealId);
        if (word.statusOf() != LibDeals.OPEN) revert DealNotOpen(deal.dealId, DealWord.unwrap(word));
        if (!word.matches(terms)) revert TermsMismatch(deal.dealId, DealWord.unwrap(word), terms);
        LibPay.markPaid(deal, terms);
    }

    function registryOf() private view returns (IRegistry) {
        return IRegistry(LibDiamond.store().registry);
    }
}
